"""What a configuration file calls interfaces is read by another process, and again when the file changes."""

import logging
import os
from pathlib import Path

import pytest

from vppcfg.app.monitoring.file_names import NamesOfFile, names_in
from vppcfg.entries.yaml.files import SourceFiles
from vppcfg.errors import VppcfgError
from vppcfg.model.monitored import FileNames

FILE = """
interfaces:
  eth0:
    description: to Zurich
    lcp: e0
    sub-interfaces:
      100: { description: customer, vrf: red, lcp: e0.100 }
  eth1: {}
  BondEthernet0: {}
loopbacks:
  loop0: { description: management }
bondethernets:
  BondEthernet0: { description: bundle, interfaces: [eth1] }
vrfs:
  red: { id: 10 }
"""


def files(path: Path) -> SourceFiles:
    return SourceFiles(names=(str(path),))


def test_descriptions_devices_and_vrfs_are_there_by_interface(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(FILE)
    found = names_in(files(path))
    assert found == FileNames(
        descriptions={
            "eth0": "to Zurich", "eth0.100": "customer", "loop0": "management", "BondEthernet0": "bundle",
        },
        lcps={"eth0": "e0", "eth0.100": "e0.100"},
        vrfs={"eth0.100": "red"},
    )  # fmt: skip


def test_a_file_that_is_not_valid_has_none(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text("interfaces: 7\n")
    with pytest.raises(VppcfgError, match="is not valid"):
        names_in(files(path))


def test_a_file_that_changes_is_read_again_and_one_that_breaks_leaves_the_names(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "r.yaml"
    names = NamesOfFile(files(path))
    assert names.wait(30) == FileNames()
    assert "there is no file" in names.problem
    path.write_text("interfaces: { eth0: { description: first } }\n")
    assert names.wait(30).descriptions == {"eth0": "first"}
    assert not names.problem
    path.write_text("interfaces: { eth0: { description: the second } }\n")
    assert names().descriptions == {"eth0": "first"}, "nobody waits for it"
    assert names.wait(30).descriptions == {"eth0": "the second"}
    path.write_text("interfaces: [\n")
    with caplog.at_level(logging.WARNING):
        assert names.wait(30).descriptions == {"eth0": "the second"}
    assert "interfaces are called as before" in caplog.text
    names.close()


def test_the_folder_where_it_is_called_holds_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("vppcfg", "json"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("open('ran', 'w')")
    (tmp_path / "r.yaml").write_text("interfaces: { eth0: { description: first } }\n")
    monkeypatch.chdir(tmp_path)
    assert NamesOfFile(SourceFiles(names=("r.yaml",))).wait(30).descriptions == {"eth0": "first"}
    assert not (tmp_path / "ran").exists()


def test_nothing_is_left_behind_when_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    os.mkfifo(path)  # whoever reads it waits for ever
    names = NamesOfFile(files(path))
    names()
    child = names._child
    assert child is not None
    names.close()
    assert child.has_ended
