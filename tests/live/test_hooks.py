"""Hooks on a real VPP: what no plan carries over is there again after an apply, a way back and a second run."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.real_vpp import RealVpp
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

REST = "policer add name pol1 type 1r2c cir 1000 cb 2000 rate kbps round closest\npolicer input name pol1 loop10\n"
LOOP = {"loop10": {"addresses": ["192.0.2.1/24"]}}


@pytest.fixture
def vpp() -> Iterator[RealVpp]:
    vpp = RealVpp()
    vpp.start(("eth0",))
    try:
        yield vpp
    finally:
        vpp.stop()


class Router:
    def __init__(self, vpp: RealVpp, folder: Path) -> None:
        self.vpp = vpp
        self.folder = folder
        self.options = ["-a", str(vpp.socket_path), "-j", str(vpp.api_dir), "--state-dir", str(folder / "state")]
        (folder / "rest.vpp").write_text(REST)
        self.rest = [sys.executable, "-m", "vppcfg", "rest", str(folder / "rest.vpp"), *self.options[:4]]

    def apply(self, loopbacks: Mapping[str, object], hooks: Mapping[str, Sequence[str]]) -> int:
        file = self.folder / "router.yaml"
        file.write_text(json.dumps({"interfaces": {"eth0": {}}, "loopbacks": loopbacks, "hooks": hooks}))
        return main(["apply", "-y", "--lose-unmanaged", "-c", str(file), *self.options])

    def policers(self) -> int:
        return self.vpp.cli("show interface loop10 features")[1].count("\n  policer-input\n")


def test_a_hook_brings_back_what_no_plan_carries_over(vpp: RealVpp, tmp_path: Path) -> None:
    router = Router(vpp, tmp_path)
    after = ("after-apply", "after-rollback")
    assert router.apply(LOOP, dict.fromkeys(after, router.rest)) == ExitCode.DONE
    once = router.policers()
    assert once
    assert router.apply({"loop10": {"addresses": ["192.0.2.2/24"]}}, dict.fromkeys(after, router.rest)) == ExitCode.DONE
    assert router.policers() == once
    assert router.apply({}, {"after-apply": ["/bin/false"]}) == ExitCode.ROLLED_BACK
    assert router.policers() == once
    assert router.apply({}, {}) == ExitCode.DONE
    assert main(["rollback", "-y", *router.options]) == ExitCode.DONE
    assert router.policers() == once


def test_without_a_hook_it_is_said_to_be_lost(vpp: RealVpp, tmp_path: Path) -> None:
    router = Router(vpp, tmp_path)
    assert router.apply(LOOP, {"after-apply": router.rest}) == ExitCode.DONE
    assert router.apply({}, {"after-apply": ["/bin/false"]}) == ExitCode.STRANDED
    assert router.policers() == 0
