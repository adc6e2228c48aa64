"""A file of the public vppcfg, adopted: a new file, what became of what differs, and what a person has to mend."""

import json
from pathlib import Path

import pytest
import yaml

from tests.unit.adopt.test_replay import adopted
from tests.unit.config.test_migration import OLD
from vppcfg.adopt.merge_yaml import merged_with_yaml
from vppcfg.adopt.migrated import adopt_migrated
from vppcfg.cli.main import main
from vppcfg.config.load import parse_text
from vppcfg.errors import ConfigError, ExitCode


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


def test_a_section_without_entries_takes_nothing_from_the_others() -> None:
    script = "create loopback interface instance 0\n"
    others = adopted(script)
    merged = merged_with_yaml(others, "old.yaml", b"interfaces: { eth0: { mtu: 1500 } }\nloopbacks:\n")
    assert yaml.safe_load(merged.text)["loopbacks"] == yaml.safe_load(others.text)["loopbacks"]
    assert merged.report.is_whole


def test_a_key_that_stands_twice_is_for_a_person_to_mend() -> None:
    with pytest.raises(ConfigError, match=r"old.yaml:2:1: .*\[yaml-duplicate-key\]"):
        adopt_migrated("old.yaml", b"interfaces: { eth0: { mtu: 1500 } }\ninterfaces: { eth0: { mtu: 9000 } }\n")


def test_the_command_writes_the_new_file_and_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.yaml").write_text(OLD)
    assert main(["adopt", "--from", "old.yaml", "-o", "new.yaml"]) == ExitCode.DONE
    shown = capsys.readouterr().out
    assert "`link-local: fe80::1` sets it" in shown
    assert main(["check", "-q", "-c", "new.yaml"]) == ExitCode.DONE
    assert main(["adopt", "--from", "old.yaml", "-o", "strict.yaml", "--strict"]) == ExitCode.INVALID
    assert not Path("strict.yaml").exists()


CONF = "unix { exec bootstrap.vpp }\ncpu { main-core 0 workers 2 }\ndpdk { dev 0000:01:00.0 { name xe0 } }\n"
SCRIPT = """\
set interface mtu 1500 xe0
set interface state xe0 up
set interface ip address xe0 192.0.2.1/24
create sub-interfaces xe0 200
set interface state xe0.200 up
create loopback interface instance 7
set interface state loop7 up
ip route add 198.51.100.0/24 via 192.0.2.2
"""
FILE = """\
interfaces:
  xe0:
    mtu: 9000
    addresses: [ 192.0.2.1/24 ]
    sub-interfaces:
      100: { mtu: 1500 }
loopbacks:
  loop1: { addresses: [ 10.0.0.1/32 ] }
"""


def test_beside_a_startup_conf_a_file_counts_and_contradictions_are_faults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("startup.conf", CONF), ("bootstrap.vpp", SCRIPT), ("old.yaml", FILE)):
        Path(name).write_text(text)
    words = ["adopt", "--from", "startup.conf", "--from", "old.yaml", "--report", "json"]
    assert main([*words, "-o", "new.yaml"]) == ExitCode.DONE
    report = json.loads(capsys.readouterr().out)
    assert [
        (item["source"], item["line"], item["text"], item["why"])
        for item in report["items"]
        if item["rule"] == "adopt-disagree"
    ] == [("old.yaml", 3, "interfaces.xe0.mtu", "the others make it 1500, and this file 9000, which counts")]
    new = yaml.safe_load(Path("new.yaml").read_text())
    assert parse_text(Path("new.yaml").read_text(), "new").configuration is not None
    assert new["interfaces"]["xe0"]["mtu"] == 9000
    assert set(new["interfaces"]["xe0"]["sub-interfaces"]) == {100, 200}
    assert set(new["loopbacks"]) == {"loop1", "loop7"}
    assert new["dataplane"]["cpu"]["workers"] == 2
    assert new["routes"] == {"198.51.100.0/24": "192.0.2.2"}
    assert main([*words[:1], "--from", "old.yaml", "--from", "old.yaml"]) == ExitCode.INVALID
    assert "of which a VPP has one" in capsys.readouterr().err
