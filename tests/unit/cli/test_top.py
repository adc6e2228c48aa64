"""`vppcfg top`: what it shows fits the screen, what keys do, and the whole thing in a terminal whose screen is read."""

import curses
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests import forked
from tests.unit.app.monitoring.routers import Router, running
from vppcfg.app.monitoring.following import RouterView
from vppcfg.app.monitoring.rates import InterfaceRates, NodeRates, ReasonRate, RouterRates, WorkerRates
from vppcfg.cli.output import Colour
from vppcfg.cli.top_document import document_of_view
from vppcfg.cli.top_screen import press
from vppcfg.cli.top_view import Choice, Page, fit, rows_of, screen, short, whole
from vppcfg.common.printable import json_text
from vppcfg.model.counters import VppCounters
from vppcfg.model.monitored import MonitoredInterface, QueuePlace, RouterSnapshot
from vppcfg.render.change_metrics import ChangeStatus

SCHEMA = Draft202012Validator(json.loads((Path(__file__).parents[3] / "docs/top.schema.json").read_text()))
FILE = "interfaces:\n  eth0: { description: to Zurich, lcp: e0 }\n"
SIZES = [(80, 24), (132, 43), (40, 10), (81, 11)]


def interface(number: int) -> InterfaceRates:
    row = MonitoredInterface(index=number, name=f"eth{number}", kind="physical", is_up=True, link_bps=10**10,
                             description=f"customer {number}")  # fmt: skip
    return InterfaceRates(
        interface=row, rx_bps=1e6 * number, tx_bps=5e9, rx_pps=1e3, tx_pps=6e5, drops_pps=0.0, punts_pps=0.0,
        lost_pps=float(number == 3),
    )  # fmt: skip


VIEW = RouterView(
    snapshot=RouterSnapshot(
        taken_at_s=1_700_100_000.0,
        counters=VppCounters(clock_s=1.0, boot_at_s=1_700_000_000, names=["", "eth1"], nat44_sessions=(0, 1200)),
        queues=(QueuePlace(interface="eth1", queue=0, thread=1, mode="polling"),),
        version="26.10",
    ),
    rates=RouterRates(
        seconds=2.0,
        interfaces=tuple(interface(number) for number in range(1, 60)),
        workers=tuple(
            WorkerRates(index=number, name=f"vpp_wk_{number}", rx_pps=1e6, vectors=float(number), loops_per_s=10**6,
                        queues=("eth1 0",), sessions=7)
            for number in range(8)
        ),
        nodes=(NodeRates(name="ip4-lookup", pps=1e6, calls_per_s=1e5, vectors=10, clocks_per_packet=40,
                         clocks_per_s=4e7),),
        reasons=tuple(
            ReasonRate(node="ip4-input", reason=f"reason {number}", per_s=9.0 - number, total=50) for number in range(9)
        ),
        has_nodes=True,
    ),
    changes=ChangeStatus(number=12, made_at_s=1_700_000_000.0, origin="apply", outcome="applied"),
    verdict="healthy",
    verdict_text="nothing is lost and nothing is at its limit",
)  # fmt: skip


def texts(view: RouterView = VIEW, choice: Choice | None = None, size: tuple[int, int] = (80, 24)) -> list[str]:
    return [line.text for line in screen(view, choice or Choice(), *size)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("page", Page)
def test_every_page_fits_every_size(page: Page, size: tuple[int, int]) -> None:
    for detail in ("", "eth1", "gone"):
        lines = texts(choice=Choice(page=page, detail=detail), size=size)
        assert len(lines) == size[1]
        assert {len(line) for line in lines} == {size[0]}


def test_80_columns_have_what_matters() -> None:
    lines = texts()
    assert lines[0].startswith("VPP 26.10, up 1d 3h, 8.00M packets/s, 1.20k NAT sessions")
    assert lines[1].startswith("Verdict: healthy: nothing is lost")
    assert lines[2].startswith("Last change 12, applied")
    assert lines[4].split()[:3] == ["vpp_wk_7", "1.00M", "7.0"], "the busiest worker first"
    assert lines[8].split() == ["Interface", "In", "Out", "InPk", "OutPk", "Drop", "Lost", "Line", "Description"]
    assert lines[9].split()[:8] == ["eth1", "1.00M", "5.00G", "1.00k", "600k", "0", "0", "51%"]
    assert lines[-4].split()[:3] == ["ip4-input", "reason", "0"]
    assert lines[-1].startswith("q quit")


def test_what_is_wrong_has_a_colour() -> None:
    lines = screen(VIEW, Choice(), 80, 24)
    assert next(line for line in lines if line.text.startswith("eth3 ")).colour is Colour.BAD
    lost = replace(VIEW, verdict="loss", verdict_text="eth3 misses packets")
    assert screen(lost, Choice(), 80, 24)[1].colour is Colour.BAD


def test_a_change_that_waits_and_drift_are_told() -> None:
    view = replace(VIEW, changes=replace(VIEW.changes, deadline_s=1_700_100_060.0), differences=3)
    assert texts(view)[2].startswith("3 entries differ from the file; change 12 goes back at ")
    view = replace(VIEW, changes=replace(VIEW.changes, is_half_way=True), differences=0)
    assert texts(view)[2].startswith("Matches its file; change 12 left VPP between two states")
    assert texts(replace(VIEW, changes=ChangeStatus(is_readable=False)))[2].startswith("The journal cannot be read")


def test_a_lost_vpp_is_told_and_awaited() -> None:
    snapshot = RouterSnapshot(taken_at_s=1.0, problem="cannot read VPP's statistics")
    lines = texts(RouterView(snapshot=snapshot, rates=RouterRates(seconds=None), changes=ChangeStatus()))
    assert "VPP cannot be read; waiting for it" in lines[4]
    assert "cannot read VPP's statistics" in lines[5]


def test_names_from_outside_drive_no_terminal() -> None:
    hostile = "a\x1b[2J\n\u202e"
    row = replace(interface(1), interface=MonitoredInterface(index=1, name=hostile, description=hostile))
    reason = ReasonRate(node=hostile, reason=hostile, per_s=1.0, total=1)
    view = replace(VIEW, rates=replace(VIEW.rates, interfaces=(row,), reasons=(reason,)))
    for choice in (Choice(), Choice(page=Page.DROPS), Choice(detail=hostile), Choice(filter=hostile)):
        assert all(line.isprintable() for line in texts(view, choice))


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (0, "0"), (7.25, "7.2"), (999.4, "999"), (999.6, "1.00k"), (12345, "12.3k"), (1.25e9, "1.25G"),
     (999_400_000, "999M"), (5e12, "5.00T")],
)  # fmt: skip
def test_rates_are_short(value: float | None, text: str) -> None:
    assert short(value) == text


def test_a_name_that_is_too_long_keeps_its_end() -> None:
    row = MonitoredInterface(index=1, name="HundredGigabitEthernet12/0/0.1234", description="a customer")
    view = replace(VIEW, rates=replace(VIEW.rates, interfaces=(InterfaceRates(interface=row),)))
    assert texts(view)[9].split()[0] == "Hundr~rnet12/0/0.1234"
    assert texts(view, size=(120, 24))[9].split()[0] == row.name


def test_text_is_cut_by_the_columns_that_it_takes() -> None:
    assert (fit("abc", 5), fit("abcdef", 5), fit("日本語", 5)) == ("abc  ", "abcd~", "日本~")
    assert fit("日本", 5) == "日本 "


def pressed(choice: Choice, *keys: int | str) -> bool:
    return all(press(choice, key, VIEW, 10) for key in keys)


def test_keys_choose_pages_and_sort_and_filter() -> None:
    choice = Choice()
    assert pressed(choice, "w")
    assert choice.page is Page.WORKERS
    assert pressed(choice, "i", "s", "s")
    assert [row.interface.name for row in rows_of(VIEW, choice)[:2] if isinstance(row, InterfaceRates)] == [
        "eth59", "eth58",
    ]  # fmt: skip
    assert pressed(choice, "r")
    first = rows_of(VIEW, choice)[0]
    assert isinstance(first, InterfaceRates)
    assert first.interface.name == "eth1"
    assert pressed(choice, "/", *"customer 17x", curses.KEY_BACKSPACE, "\n")
    assert (choice.filter, len(rows_of(VIEW, choice))) == ("customer 17", 1)
    assert pressed(choice, "\x1b")
    assert len(rows_of(VIEW, choice)) == 59
    assert not pressed(choice, "q")


def test_sorting_goes_round_to_the_usual_order() -> None:
    choice = Choice(page=Page.NODES)
    pressed(choice, *"ssssss")
    assert choice.sort == {Page.NODES: 5}
    pressed(choice, "s")
    assert choice.sort == {}


def test_a_row_is_selected_looked_into_and_left() -> None:
    choice = Choice()
    assert pressed(choice, curses.KEY_DOWN, "j", curses.KEY_UP, "\n")
    assert choice.detail == "eth2"
    assert any("customer 2" in line for line in texts(choice=choice))
    assert pressed(choice, "\x1b")
    assert choice.detail == ""
    assert pressed(choice, curses.KEY_END, curses.KEY_NPAGE)
    assert choice.selected == 58
    assert any(line.startswith("eth59") for line in texts(choice=choice))
    assert pressed(choice, curses.KEY_HOME, curses.KEY_PPAGE)
    assert choice.selected == 0


def test_a_filter_that_is_given_up_stays_as_it_was_and_takes_no_key_as_a_command() -> None:
    choice = Choice(filter="eth1")
    assert pressed(choice, "/", "q", "\x1b")
    assert (choice.filter, choice.typing) == ("eth1", None)


def test_once_everything_is_there_whatever_the_height() -> None:
    lines = whole(VIEW, Choice(), 100)
    assert sum(line.startswith("eth") for line in lines) == 59
    assert sum(line.startswith("vpp_wk_") for line in lines) == 8


@pytest.fixture
def vpp(tmp_path: Path) -> Iterator[Router]:
    with running(tmp_path) as found:
        (tmp_path / "r.yaml").write_text(FILE)
        yield found


def words_for(folder: Path, *words: str) -> list[str]:
    options = ["-a", str(folder / "api.sock"), "-c", str(folder / "r.yaml"), "--state-dir", str(folder / "state")]
    return ["top", *options, *words]


def output_of(folder: Path, *words: str) -> tuple[int, str, str]:
    done = forked.run(words_for(folder, *words, "--interval", "0.5"), 60)
    return done.returncode, done.stdout, done.stderr


def test_once_writes_a_page_of_text(vpp: Router) -> None:
    code, text, _ = output_of(vpp.folder, "--once")
    assert code == 0
    assert "to Zurich" in text
    (vpp.folder / "r.yaml").write_text(FILE.replace("to Zurich", "way " * 40))
    assert ("way " * 40).strip() in output_of(vpp.folder, "--once")[1], "in a pipe nothing is cut"
    assert "vpp_wk_0" in text
    assert output_of(vpp.folder, "--once", "--interface", "eth0")[1].count("packets in, in all") == 1


def test_it_ends_when_its_reader_has_left(vpp: Router) -> None:
    words = " ".join(words_for(vpp.folder, "--json", "--interval", "0.5"))
    line = f"{sys.executable} -m vppcfg {words} | head -n 1; exit $PIPESTATUS"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, done.stdout.count("\n")) == (0, 1), done.stderr


def test_a_closed_standard_output_is_no_error(vpp: Router) -> None:
    words = " ".join(words_for(vpp.folder, "--once", "--interval", "0.5"))
    done = subprocess.run(["bash", "-c", f"{sys.executable} -m vppcfg {words} >&-"], check=False, timeout=30)
    assert done.returncode == 0


def described(document: dict[str, Any]) -> dict[str, Any]:
    """Hold a document against docs/top.schema.json and return it."""
    SCHEMA.validate(document)
    return document


def test_every_part_of_the_document_is_in_its_schema() -> None:
    document = described(json.loads(json_text(document_of_view(VIEW))))
    lists = ("interfaces", "workers", "nodes", "reasons", "queues")
    assert all(document[name] for name in lists)
    for name in lists:
        document[name][0]["unknown"] = 1
        assert not SCHEMA.is_valid(document)
        del document[name][0]["unknown"]
    assert SCHEMA.is_valid(document)


def test_json_is_one_look(vpp: Router) -> None:
    code, text, _ = output_of(vpp.folder, "--once", "--json")
    document = described(json.loads(text))
    (port,) = document["interfaces"]
    assert (code, document["format_version"], document["is_up"]) == (0, 1, True)
    assert (port["name"], port["description"], port["lcp"], port["rx_pps"]) == ("eth0", "to Zurich", "e0", 0.0)
    assert document["workers"][1]["name"] == "vpp_wk_0"


def test_without_a_vpp_it_ends_with_4(tmp_path: Path) -> None:
    assert described(json.loads(output_of(tmp_path, "--once", "--json")[1]))["is_up"] is False
    code, text, _ = output_of(tmp_path, "--once")
    assert code == 4
    assert "cannot read VPP's statistics" in text


def test_a_screen_needs_a_terminal(vpp: Router) -> None:
    code, _, error = output_of(vpp.folder)
    assert code == 3
    assert "a whole screen needs a terminal" in error


@contextmanager
def terminal(folder: Path, *words: str) -> Iterator[Callable[..., str]]:
    """Yield what sends keys to a terminal of 80x24 with `vppcfg top` in it, and returns its screen."""
    socket = str(folder / "tmux.sock")
    tmux = ["tmux", "-S", socket, "-f", os.devnull]
    command = [sys.executable, "-m", "vppcfg", *words_for(folder, "--interval", "0.5", *words)]
    line = " ".join(f"'{word}'" for word in command)
    start = ["new-session", "-d", "-x", "80", "-y", "24", f"{line}; echo ended with $?; sleep 60"]
    subprocess.run([*tmux, *start], check=True, env={**os.environ, "LANG": "C.UTF-8", "TERM": "xterm-256color"})

    def keys(*names: str) -> str:
        if names:
            subprocess.run([*tmux, "send-keys", *names], check=True)
        return subprocess.run([*tmux, "capture-pane", "-p"], check=True, capture_output=True, text=True).stdout

    try:
        yield keys
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)


def shown(screen_of: Callable[..., str], text: str, seconds: float = 20.0) -> str:
    """Return the screen once it has a text."""
    deadline = time.monotonic() + seconds
    while text not in (found := screen_of()):
        assert time.monotonic() < deadline, f"{text!r} is not in\n{found}"
        time.sleep(0.1)
    return found


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux; apt-get install tmux")
def test_the_screen_of_a_terminal_shows_a_router_its_end_and_its_return(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text(FILE)
    router = Router(tmp_path)
    with terminal(tmp_path) as keys:
        first = shown(keys, "to Zurich")
        assert first.startswith("VPP 26.10")
        assert "vpp_wk_0" in first
        assert "Verdict: " in shown(keys, "Verdict: ")
        keys("w")
        assert "eth0 0" in shown(keys, "Queues")
        keys("n")
        shown(keys, "VPP refreshes its counters of nodes every 10 s")
        keys("d")
        shown(keys, "Tx packet drops")
        keys("i")
        shown(keys, "Interface")
        keys("Enter")
        shown(keys, "packets in, in all")
        keys("Escape")
        shown(keys, "Description")
        keys("/", "zzz", "Enter")
        shown(keys, "Nothing here has 'zzz' in its name")
        keys("Escape")
        shown(keys, "eth0")
        router.end()
        shown(keys, "waiting for it")
        with running(tmp_path):
            shown(keys, "to Zurich")
            keys("Space")
            shown(keys, "FROZEN")
            keys("q")
            shown(keys, "ended with 0")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux; apt-get install tmux")
def test_ctrl_c_leaves_the_terminal_as_it_was(vpp: Router) -> None:
    with terminal(vpp.folder, "--page", "workers") as keys:
        shown(keys, "Queues")
        keys("C-c")
        found = shown(keys, "ended with 0")
        assert "Queues" not in found
        assert "Traceback" not in found
