"""Definitions: JSON in whatever state, our own types or an error that says what to do out."""

import json
import os
from pathlib import Path

import pytest

from vppcfg.errors import DataplaneError
from vppcfg.vpp import definitions
from vppcfg.vpp.definitions import find_directory, parse, parse_served, read_bundled, read_directory

DOCUMENT = {
    "types": [["pair", ["u8", "left"], ["u8", "right", {"limit": 3}]]],
    "unions": [["either", ["u32", "number"], ["u8", "bytes", 16]]],
    "enums": [["color", ["RED", 0], {"enumtype": "u8"}]],
    "enumflags": [["flag", ["UP", 1], {"enumtype": "u16"}]],
    "aliases": {"mac_address": {"type": "u8", "length": 6}, "index": {"type": "u32"}},
    "messages": [["hello", ["u16", "_vl_msg_id"], ["string", "name", 0], ["u8", "x", 0, "n"], {"crc": "0x01020304"}]],
}


@pytest.mark.parametrize(
    "document",
    [[], {"messages": [[]]}, {"messages": [["a", {}]]}, {"types": 5}, {"aliases": {"a": {}}}, {"enums": [[1]]}],
)
def test_what_is_no_definition_is_an_error(document: object) -> None:
    with pytest.raises(DataplaneError, match="cannot be understood"):
        parse([document])  # type: ignore[list-item]


def test_served_text_may_end_in_a_nul() -> None:
    assert set(parse_served(json.dumps([DOCUMENT]).encode() + b"\0").messages) == {"hello"}


def test_served_text_that_is_no_json_is_an_error() -> None:
    with pytest.raises(DataplaneError, match="VPP's own API definitions cannot be read"):
        parse_served(b"[{")


def test_the_bundled_definitions_are_enough_to_say_hello_and_goodbye() -> None:
    needed = {"sockclnt_create", "sockclnt_create_reply", "sockclnt_delete", "get_api_json", "control_ping"}
    assert needed <= set(read_bundled().messages)


def test_a_missing_vpp_papi_is_an_error_that_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definitions, "find_spec", lambda name: None)
    with pytest.raises(DataplaneError, match="vpp_papi is not installed") as caught:
        read_bundled()
    assert "pip install vpp_papi" in caught.value.hint


def test_a_directory_is_read_with_what_is_below_it_and_only_the_files_in_use(tmp_path: Path) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "interface.api.json").write_text(json.dumps(DOCUMENT))
    (tmp_path / "nat.api.json").write_text("not read")
    assert set(read_directory(tmp_path).messages) == {"hello"}


@pytest.mark.parametrize("text", ["", "[]", "{", "\x00"])
def test_a_file_that_is_no_definition_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "interface.api.json").write_text(text)
    with pytest.raises(DataplaneError, match=r"interface\.api\.json"):
        read_directory(tmp_path)


def test_an_empty_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataplaneError, match="has no API definitions"):
        read_directory(tmp_path)


def test_the_directory_given_comes_before_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VPP_API_DIR", "/nowhere")
    assert find_directory(str(tmp_path)) == tmp_path


def test_the_environment_comes_before_the_usual_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VPP_API_DIR", str(tmp_path))
    monkeypatch.setattr(definitions, "USUAL_DIRECTORIES", ("/",))
    assert find_directory(None) == tmp_path


def test_the_usual_places_are_the_last_resort(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VPP_API_DIR", raising=False)
    monkeypatch.setattr(definitions, "USUAL_DIRECTORIES", ("/nowhere", str(tmp_path)))
    assert find_directory(None) == tmp_path


def test_the_directory_of_the_running_program_comes_before_the_usual_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VPP_API_DIR", raising=False)
    monkeypatch.setattr(definitions, "USUAL_DIRECTORIES", ("/",))
    (tmp_path / "share/vpp/api").mkdir(parents=True)
    monkeypatch.setattr(os, "readlink", {"/proc/77/exe": str(tmp_path / "bin/vpp")}.__getitem__)
    assert find_directory(None, 77) == tmp_path / "share/vpp/api"


def test_a_directory_that_is_named_and_missing_is_an_error_that_says_where_to_look() -> None:
    with pytest.raises(DataplaneError, match="/nowhere is not a directory") as caught:
        find_directory("/nowhere")
    assert "--vpp-json-dir" in caught.value.hint


def test_no_directory_is_found_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VPP_API_DIR", raising=False)
    monkeypatch.setattr(definitions, "USUAL_DIRECTORIES", ())
    assert find_directory(None) is None
