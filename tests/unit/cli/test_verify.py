"""`vppcfg verify` on a simulated VPP with a Linux around it."""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.clock import Clock
from tests.linux_forwarding import LinuxAround, filled
from tests.unit.cli.conftest import Serve
from tests.unit.render.test_prometheus import samples
from vppcfg.app.verifying import verify
from vppcfg.app.watching.notices import MetricsSource, Notice
from vppcfg.app.watching.verification import Verification
from vppcfg.cli.main import main
from vppcfg.errors import DataplaneError, ExitCode, VppcfgError
from vppcfg.model.attachment import Attachment
from vppcfg.model.forwarding import Hop
from vppcfg.render.prometheus import VerifyMetrics, WatchMetrics
from vppcfg.verify.mismatch import Comparison, Mismatch, MismatchKind, Subject
from vppcfg.verify.report import VerifyReport, report_of

SCHEMA = Draft202012Validator(json.loads((Path(__file__).resolve().parents[3] / "docs/verify.schema.json").read_text()))


@pytest.fixture
def linux(monkeypatch: pytest.MonkeyPatch) -> LinuxAround:
    """A Linux that is as its VPP, and read without a pause."""
    around = filled(1)
    monkeypatch.setattr("vppcfg.app.verifying.LEAST_S", 100.0)
    monkeypatch.setattr("vppcfg.app.target._linux_around", lambda pid: around)
    monkeypatch.setattr("vppcfg.app.watching.verification.verify", partial(verify, pause_s=0, clock=Clock()))
    return around


@pytest.fixture
def vpp(serve: Serve, linux: LinuxAround) -> str:
    return serve(linux.vpp)


def break_it(linux: LinuxAround) -> None:
    """Let VPP be otherwise than Linux in several ways."""
    hop = Hop("port0", b"\xc0\0\0\x63")
    for number in range(12):
        linux.add_route(0, f"10.{210 + number}.0.0/16", hop, is_lost=True)
    linux.nl.route(0, "10.190.0.0/16", [hop])
    linux.change("port1", mtu=1400)
    linux.nl.address("port2", "198.51.100.1/24")
    linux.add_neighbor("port2", "192.0.2.252", "02:00:00:00:02:fc", is_lost=True)


def said_by(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return what was said, without the times."""
    return [line.split(" ", 1)[1] for line in capsys.readouterr().out.splitlines()]


def test_one_look_at_what_is_alike_exits_0_and_says_how_much_that_is(
    vpp: str, linux: LinuxAround, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", "--all", "--once", "-a", vpp]) == ExitCode.DONE
    (line,) = said_by(capsys)
    routes = sum(map(len, linux.routes.values()))
    assert line.startswith("VPP forwards as Linux does: 3 LCP pairs, 6 addresses, ")
    assert line.endswith(f" neighbours, {routes} routes")


def test_without_all_vpp_is_asked_for_what_linux_has_and_told_what_that_leaves_out(
    vpp: str, linux: LinuxAround, capsys: pytest.CaptureFixture[str]
) -> None:
    hop = Hop("port0", b"\xc0\0\0\x63")
    linux.add_route(0, "10.210.0.0/16", hop, is_lost=True)
    linux.nl.route(0, "10.190.0.0/20", [hop])
    linux.add_neighbor("port2", "192.0.2.252", "02:00:00:00:02:fc", is_lost=True)
    assert main(["verify", "--once", "-a", vpp, "--format", "json"]) == ExitCode.DRIFT
    event = json.loads(capsys.readouterr().out)
    SCHEMA.validate(event)
    routes, neighbors = (sum(map(len, each)) for each in (linux.routes.values(), _neighbors(linux)))
    assert event["in_linux"] == {"neighbor": neighbors, "route": routes}
    assert (event["compared"]["route"], event["compared"]["neighbor"]) == (routes, neighbors)
    firsts = [group["first"] for group in event["groups"]]
    assert firsts == [["192.0.2.252 (02:00:00:00:02:fc)"], ["10.210.0.0/16"], ["10.190.0.0/20"]]
    assert [each["count"] for each in event["not_compared"]] == [neighbors]


def test_addresses_of_a_file_that_both_sides_lack_are_lost(
    vpp: str, linux: LinuxAround, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "router.yaml"
    words = ["verify", "--once", "-a", vpp, "-c", str(file)]
    there = sorted(linux.sides["port1"].addresses)
    for addresses, code in ((there, ExitCode.DONE), ([*there, "198.51.100.1/24"], ExitCode.DRIFT)):
        content = {
            "interfaces": {"port1": {"lcp": "e1", "addresses": addresses}, "port0": {"addresses": ["10.1.1.1/24"]}}
        }
        file.write_text(json.dumps(content))
        capsys.readouterr()
        assert main(words) == code
    assert said_by(capsys)[1:3] == ["- Configured, VPP and Linux lack: 1 address of port1", "    198.51.100.1/24"]
    file.write_text("interfaces: 5\n")
    assert main(words) == ExitCode.INVALID


def _neighbors(linux: LinuxAround) -> Iterator[Mapping[str, object]]:
    return (side.neighbors for side in linux.sides.values())


def test_lost_ipsec_is_found(
    vpp: str, linux: LinuxAround, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = (Attachment(holder="ipip0", kind="IPsec protection"),)
    monkeypatch.setattr("vppcfg.app.watching.verification.lost_protection", lambda *asked: lost)
    assert main(["verify", "--once", "-a", vpp, "--format", "json"]) == ExitCode.DRIFT
    event = json.loads(capsys.readouterr().out)
    SCHEMA.validate(event)
    assert event["unprotected"] == [{"interface": "ipip0", "what": "IPsec protection"}]
    assert main(["verify", "--once", "-a", vpp]) == ExitCode.DRIFT
    assert said_by(capsys)[-1] == "! ipip0 may send in clear text: not there is ipip0: IPsec protection"


def test_one_look_that_finds_something_exits_10_and_names_it_in_groups(
    vpp: str, linux: LinuxAround, capsys: pytest.CaptureFixture[str]
) -> None:
    break_it(linux)
    assert main(["verify", "--all", "--once", "-a", vpp]) == ExitCode.DRIFT
    first, *rest = said_by(capsys)
    assert first.startswith(
        "VPP does not forward as Linux does: 1 MTU different, 1 address stale, 1 neighbour missing, 12 routes missing, "
        "1 route stale; of "
    )
    assert rest == [
        "~ MTU of port1: 1500 in VPP, 1400 in Linux",
        "+ VPP has, Linux lacks: 1 address of port2",
        "    198.51.100.1/24",
        "- Linux has, VPP lacks: 1 neighbour of port2",
        "    192.0.2.252 (02:00:00:00:02:fc)",
        "- Linux has, VPP lacks: 12 routes of IPv4 table 0 via 192.0.0.99 dev port0",
        "    10.210.0.0/16, 10.211.0.0/16, 10.212.0.0/16, 9 more",
        "+ VPP has, Linux lacks: 1 route of IPv4 table 0 via 192.0.0.99 dev port0 (lcp-rt)",
        "    10.190.0.0/16",
    ]


def test_for_programs_it_is_one_object_as_its_schema_says(
    vpp: str, linux: LinuxAround, capsys: pytest.CaptureFixture[str]
) -> None:
    linux.limits["multicast routes, which go to multicast tables"] = 2
    break_it(linux)
    assert main(["verify", "--all", "--once", "-a", vpp, "--format", "json"]) == ExitCode.DRIFT
    event: dict[str, Any] = json.loads(capsys.readouterr().out)
    SCHEMA.validate(event)
    assert (event["event"], event["is_same"]) == ("verified", False)
    assert event["counts"][-1] == {"subject": "route", "discord": "stale", "count": 1}
    assert event["groups"][3]["table"] == {"family": 4, "number": 0}
    assert event["limits"] == [{"reason": "multicast routes, which go to multicast tables", "count": 2}]
    assert event["own_routes"]["interface"] > 0


def test_for_prometheus_it_is_metrics(vpp: str, linux: LinuxAround, capsys: pytest.CaptureFixture[str]) -> None:
    break_it(linux)
    assert main(["verify", "--all", "--once", "-a", vpp, "--format", "prometheus", "-q"]) == ExitCode.DRIFT
    found = samples(capsys.readouterr().out)
    assert found["vppcfg_verify_is_same"] == 0
    assert found['vppcfg_verify_mismatches{subject="route",discord="missing"}'] == 12
    assert found['vppcfg_verify_mismatches{subject="state",discord="different"}'] == 0
    assert found['vppcfg_verify_compared{subject="pair"}'] == 3
    assert found['vppcfg_verify_in_linux{subject="route"}'] == sum(map(len, linux.routes.values()))


def test_a_file_gets_the_lines(vpp: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "verified.txt"
    for _ in range(2):
        assert main(["verify", "--all", "--once", "-a", vpp, "-o", str(file)]) == ExitCode.DONE
    assert capsys.readouterr().out == ""
    assert len(file.read_text().splitlines()) == 2


def test_a_watch_that_verifies_says_both(
    vpp: str, linux: LinuxAround, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "now.yaml"
    assert main(["dump", "-a", vpp, "-o", str(file)]) == ExitCode.DONE
    words = ["watch", "--once", "--verify", "-c", str(file), "-a", vpp]
    assert main(words) == ExitCode.DONE
    said = said_by(capsys)
    assert said[:2] == ["Connected to VPP", f"VPP matches {file}"]
    assert said[2].startswith("VPP forwards as Linux does")
    for number in range(3):
        linux.add_route(0, f"10.{210 + number}.0.0/16", Hop("port0", b"\xc0\0\0\x63"), is_lost=True)
    assert main(words) == ExitCode.DRIFT
    said = said_by(capsys)
    assert said[1] == f"VPP matches {file}"
    assert said[2].startswith("VPP does not forward as Linux does: 3 routes missing; of ")
    assert main([*words, "--format", "prometheus", "-q"]) == ExitCode.DRIFT
    assert samples(capsys.readouterr().out)['vppcfg_verify_mismatches{subject="route",discord="missing"}'] == 3


def test_without_the_linux_around_a_vpp_there_is_nothing_to_compare(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", "--once", "-a", serve(filled(1).vpp)]) == ExitCode.DATAPLANE
    assert "the Linux around this VPP cannot be seen from here" in capsys.readouterr().err


def test_a_vpp_whose_linux_cannot_be_read_answers_all_the_same(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["verify", "--once", "-a", serve(filled(1).vpp), "--format", "prometheus"]
    assert main(words) == ExitCode.DATAPLANE
    assert samples(capsys.readouterr().out)["vppcfg_verify_vpp_up"] == 1


def test_a_watch_and_a_verify_in_one_folder_have_no_series_in_common() -> None:
    watched, alone = WatchMetrics().text(), VerifyMetrics(report=ALIKE).text()
    assert not {line.split()[2] for line in watched.splitlines() if line[0] == "#"} & {
        line.split()[2] for line in alone.splitlines() if line[0] == "#"
    }


@pytest.mark.parametrize("seconds", ["0", "never", "86401"])
def test_a_wrong_interval_is_refused(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--interval", seconds]) == ExitCode.INVALID
    assert "is not a number of seconds from 1 to 86400" in capsys.readouterr().err


class OverError(Exception):
    """Enough time has passed."""


class EndingClock(Clock):
    """A clock that ends after 1000 s."""

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        if self.now_s > 1000:
            raise OverError


class Kept:
    """Keeps what is said."""

    def __init__(self) -> None:
        self.notices: list[Notice] = []
        self.shown: list[str] = []

    def notify(self, notice: Notice) -> None:
        self.notices.append(notice)

    def show(self, status: MetricsSource) -> None:
        self.shown.append(status.text())


ALIKE = report_of(Comparison())
FAULTY = report_of(
    Comparison(mismatches=frozenset({Mismatch(MismatchKind.STALE, Subject.ADDRESS, "port0", "192.0.2.9/24")}))
)


def test_again_and_again_only_news_are_said_and_what_is_in_the_way_once() -> None:
    clock, kept = EndingClock(0), Kept()
    away = DataplaneError("there is no VPP")
    found: list[VerifyReport | VppcfgError] = [ALIKE, ALIKE, away, away, FAULTY, FAULTY, ALIKE]

    def look() -> VerifyReport:
        each = found.pop(0) if len(found) > 1 else found[0]
        if isinstance(each, VppcfgError):
            raise each
        return each

    status = VerifyMetrics(version="1")
    with pytest.raises(OverError):
        Verification(look, kept, status, interval_s=100, clock=clock).run()
    assert [notice.event for notice in kept.notices] == ["verified", "not_verified", "verified", "verified"]
    assert [notice.is_bad for notice in kept.notices] == [False, True, True, False]
    assert len(kept.shown) == 11
    assert [samples(text)["vppcfg_verify_vpp_up"] for text in kept.shown[1:5]] == [1, 0, 0, 1]
    assert "vppcfg_verify_is_same" not in samples(kept.shown[2])
    assert samples(kept.shown[-1])["vppcfg_verify_errors_total"] == 2


def test_a_router_whose_routes_take_long_is_left_alone_for_longer() -> None:
    clock, starts = EndingClock(0), []

    def look() -> VerifyReport:
        starts.append(clock.now_s)
        clock.now_s += 50
        return ALIKE

    with pytest.raises(OverError):
        Verification(look, Kept(), VerifyMetrics(), interval_s=100, clock=clock).run()
    assert starts[:3] == [0, 250, 500]
