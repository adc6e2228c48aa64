"""Routes of a file that linux-cp hides: neither a difference nor silence, and gone when the file has them no more."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import GI1, GI3, Serve, two_ports
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.simulator.fib_entries import FibPath, NetlinkMain, prefix_of
from vppcfg.simulator.vpp import SimulatedVpp

pytestmark = pytest.mark.usefixtures("files")

BASE = f"""\
interfaces:
  {GI1}: {{ mtu: 1500, addresses: [ 192.0.2.1/24 ] }}
  {GI3}: {{ mtu: 1500 }}
"""
ROUTES = """\
routes:
  10.0.0.0/8: 192.0.2.2
  10.1.0.0/16: 192.0.2.2
"""
SHADOWED = "10.0.0.0/8 is shadowed by linux-cp: VPP forwards by that route, and by this one without it"
WILL_BE = "10.0.0.0/8 will be shadowed by linux-cp, whose route VPP uses"


class Router:
    def __init__(self) -> None:
        self.vpp = SimulatedVpp(ports=two_ports())
        self.netlink = self.vpp.tables.part(NetlinkMain)
        self.netlink.is_running = True

    def learn(self, prefix: str = "10.0.0.0/8") -> None:
        """Let a route of Linux come."""
        path = FibPath(next_hop=bytes([192, 0, 2, 9]))
        self.netlink.routes.setdefault((False, 0), {})[prefix_of(prefix)] = {"lcp-rt": (path,)}

    def forget(self) -> None:
        """Let all of them go."""
        self.netlink.routes.clear()


@pytest.fixture
def router() -> Router:
    return Router()


@pytest.fixture
def vpp(router: Router, serve: Serve) -> str:
    Path("routes.yaml").write_text(BASE + ROUTES)
    Path("base.yaml").write_text(BASE)
    return serve(router.vpp)


def plan(vpp: str, file: str, *words: str) -> int:
    return main(["plan", "-c", file, "-a", vpp, "--detailed-exitcode", *words])


def test_a_route_below_a_better_one_is_no_difference_and_is_named(
    vpp: str, router: Router, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["apply", "--yes", "-c", "routes.yaml", "-a", vpp]) == ExitCode.DONE
    router.learn()
    capsys.readouterr()
    assert plan(vpp, "routes.yaml") == ExitCode.DONE
    captured = capsys.readouterr()
    assert "Nothing to do" in captured.err
    assert SHADOWED in captured.out + captured.err
    assert "10.1.0.0/16 is" not in captured.err
    router.forget()
    assert plan(vpp, "routes.yaml") == ExitCode.DONE
    assert "shadowed" not in capsys.readouterr().err


def test_a_plan_names_the_routes_that_vpp_will_not_go_by(
    vpp: str, router: Router, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["apply", "--yes", "-c", "base.yaml", "-a", vpp]) == ExitCode.DONE
    router.learn()
    capsys.readouterr()
    assert plan(vpp, "routes.yaml", "--format", "diff") == ExitCode.CHANGES_PENDING
    shown = capsys.readouterr().out
    assert f"  {WILL_BE}\n" in shown
    assert "10.1.0.0/16 will" not in shown
    assert plan(vpp, "routes.yaml", "--format", "cli") == ExitCode.CHANGES_PENDING
    assert f"comment {{ vppcfg: {WILL_BE.replace(',', '?')} }}" in capsys.readouterr().out
    assert plan(vpp, "routes.yaml", "--format", "json") == ExitCode.CHANGES_PENDING
    document = json.loads(capsys.readouterr().out)
    assert document["desired"]["hidden_by"] == {"10.0.0.0/8": "lcp-rt"}
    assert main(["apply", "--yes", "-c", "routes.yaml", "-a", vpp]) == ExitCode.DONE
    assert plan(vpp, "routes.yaml") == ExitCode.DONE


def test_a_hidden_route_that_leaves_the_file_is_removed(vpp: str, router: Router) -> None:
    assert main(["apply", "--yes", "-c", "routes.yaml", "-a", vpp]) == ExitCode.DONE
    router.learn()
    assert plan(vpp, "base.yaml") == ExitCode.CHANGES_PENDING
    assert main(["apply", "--yes", "-c", "base.yaml", "-a", vpp]) == ExitCode.DONE
    router.forget()
    assert not any(table.routes for table in router.vpp.tables.fib4.tables.values())


def test_a_hidden_route_that_changes_is_replaced_below(vpp: str, router: Router) -> None:
    assert main(["apply", "--yes", "-c", "routes.yaml", "-a", vpp]) == ExitCode.DONE
    router.learn()
    Path("routes.yaml").write_text(BASE + ROUTES.replace("10.0.0.0/8: 192.0.2.2", "10.0.0.0/8: 192.0.2.3"))
    assert plan(vpp, "routes.yaml") == ExitCode.CHANGES_PENDING
    assert main(["apply", "--yes", "-c", "routes.yaml", "-a", vpp]) == ExitCode.DONE
    assert plan(vpp, "routes.yaml") == ExitCode.DONE
    assert main(["rollback", "--yes", "-a", vpp]) == ExitCode.DONE
    router.forget()
    routes = router.vpp.tables.fib4.tables[0].routes[prefix_of("10.0.0.0/8")]
    assert [path.next_hop for paths in routes.values() for path in paths] == [bytes([192, 0, 2, 2])]


def test_without_the_journal_vpp_is_asked_about_the_routes_of_the_file(
    vpp: str, router: Router, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["apply", "--yes", "-c", "routes.yaml", "-a", vpp]) == ExitCode.DONE
    router.learn()
    capsys.readouterr()
    assert plan(vpp, "routes.yaml", "--state-dir", str(tmp_path / "elsewhere")) == ExitCode.DONE
    assert SHADOWED in capsys.readouterr().err


def test_watch_names_it_once(vpp: str, router: Router, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["apply", "--yes", "-c", "routes.yaml", "-a", vpp]) == ExitCode.DONE
    router.learn()
    capsys.readouterr()
    assert main(["watch", "--once", "-c", "routes.yaml", "-a", vpp]) == ExitCode.DONE
    assert SHADOWED in capsys.readouterr().out


def test_dump_has_it(vpp: str, router: Router, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["apply", "--yes", "-c", "routes.yaml", "-a", vpp]) == ExitCode.DONE
    router.learn()
    capsys.readouterr()
    assert main(["dump", "-a", vpp]) == ExitCode.DONE
    assert "10.0.0.0/8: 192.0.2.2" in capsys.readouterr().out
