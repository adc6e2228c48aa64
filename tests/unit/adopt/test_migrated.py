"""A file of the public vppcfg, adopted: a new file, what became of what differs, and what a person has to mend."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.unit.config.test_migration import OLD
from vppcfg.adopt.migrated import adopt_migrated
from vppcfg.adopt.report import LineOutcome
from vppcfg.cli.main import main
from vppcfg.config import parse_text
from vppcfg.errors import ConfigError, ExitCode


def test_what_differs_is_reported_and_the_file_is_valid() -> None:
    adoption = adopt_migrated("old.yaml", OLD.encode())
    assert parse_text(adoption.text, "new").configuration is not None
    assert [(line.text, line.outcome) for line in adoption.report.lines] == [
        ("interfaces.GigabitEthernet1/0/0.addresses", LineOutcome.UNMANAGED),
        ("interfaces.GigabitEthernet1/0/0.sub-interfaces.200.description", LineOutcome.NO_EFFECT),
    ]
    assert any("loop0" in notice and "below `loopbacks`" in notice for notice in adoption.report.notices)
    assert all("(line " in notice for notice in adoption.report.notices)
    assert adoption.rest.commands == ()


def test_what_vpp_would_refuse_is_a_fault_at_its_line_and_stays() -> None:
    adoption = adopt_migrated("old.yaml", b"interfaces:\n  eth0:\n    mac: 01:00:5e:00:00:01\n")
    assert [(line.number, line.rule) for line in adoption.report.lines] == [(3, "mac-multicast")]
    assert not adoption.report.is_whole
    assert yaml.safe_load(adoption.text) == {"interfaces": {"eth0": {"mac": "01:00:5e:00:00:01"}}}


@pytest.mark.parametrize("source", [b"- a\n", b"just text\n", b"a: [\n", b"\xff\xfe\x00", b""])
def test_what_is_no_configuration_is_refused(source: bytes) -> None:
    with pytest.raises(ConfigError):
        adopt_migrated("old.yaml", source)


def test_a_file_of_ours_comes_out_as_it_is() -> None:
    text = "interfaces:\n  eth0:\n    mtu: 9000\n"
    adoption = adopt_migrated("ours.yaml", text.encode())
    assert adoption.text == text
    assert adoption.report.is_whole


def test_the_command_writes_the_new_file_and_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.yaml").write_text(OLD)
    assert main(["adopt", "--from", "old.yaml", "-o", "new.yaml"]) == ExitCode.DONE
    shown = capsys.readouterr().out
    assert "link-local; VPP makes one from the MAC" in shown
    assert main(["check", "-q", "-c", "new.yaml"]) == ExitCode.DONE
    assert main(["adopt", "--from", "old.yaml", "-o", "strict.yaml", "--strict"]) == ExitCode.INVALID
    assert not Path("strict.yaml").exists()


def test_a_script_beside_an_old_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.yaml").write_text(OLD)
    Path("a.vpp").write_text("set interface state eth0 up\n")
    assert main(["adopt", "--from", "old.yaml", "--from", "a.vpp"]) == ExitCode.INVALID
    assert "old.yaml" in capsys.readouterr().err
