"""The data files of vppcfg, installed or in a checkout."""

from pathlib import Path

import pytest

from vppcfg import assets


@pytest.mark.parametrize("name", ["schema/vppcfg.yaml", "schema/rules.yaml", "schema/vppcfg.schema.json"])
def test_the_files_of_this_checkout_are_found(name: str) -> None:
    assert assets.find(name).is_file()


def test_an_installation_goes_before_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, beside = tmp_path / "vppcfg" / "schema" / "a.yaml", tmp_path / "schema" / "a.yaml"
    monkeypatch.setattr(assets, "_PACKAGE", tmp_path / "vppcfg")
    for path in (beside, inside):
        path.parent.mkdir(parents=True)
        path.touch()
        assert assets.find("schema/a.yaml") == path


def test_a_file_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "_PACKAGE", tmp_path / "vppcfg")
    with pytest.raises(FileNotFoundError, match=r"schema/a\.yaml is missing"):
        assets.find("schema/a.yaml")
