"""Report pages hold what the results say, in graphs that can be read, whatever form the results have."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.loadtest.samples import THERE, result, sample, stateful_result
from vppcfg.cli.loadtest.astf_view import latency_text
from vppcfg.cli.loadtest.latency import latency_lines
from vppcfg.cli.main import main
from vppcfg.common.graph import thinned
from vppcfg.common.svg import svg_of
from vppcfg.errors import ExitCode, UsageError
from vppcfg.loadtest.document import FileForm, read_any, text_of
from vppcfg.loadtest.engine import Delay, Tally
from vppcfg.loadtest.flows.outcome import CoreLoad, CoresSample, Flow, FlowsOutcome, Rate
from vppcfg.loadtest.report.graphs import smoke_graph
from vppcfg.loadtest.report.overview import NO_BREAK, matrix_of, rows_of
from vppcfg.loadtest.report.page import groups_of, page_of
from vppcfg.loadtest.report.ramp import loss_graph, rate_graph
from vppcfg.loadtest.result import DelayAtLoad, Result, ResultKind, Throughput, Total, Trial
from vppcfg.loadtest.trex_loadtest import text_for_visualiser
from vppcfg.loadtest.watch.outcome import Moment, watched_of

SVG = "{http://www.w3.org/2000/svg}"


def ramp(capacity: int = 50, title: str = "", link_bps: int = 10**9) -> Result:
    """Return a ramp of 100 seconds in one direction, whose loss begins above `capacity` packets per second."""
    loads = range(1, 101)
    made = result(*(sample(float(at), (at, min(at, capacity)), load_pps=float(at)) for at in loads))
    assert made.offered is not None
    return replace(made, title=title, offered=replace(made.offered, link_bps=link_bps, path_rate_pps=100.0))


def watched(*, lost_in: int = 3) -> Result:
    moments = tuple(
        Moment(at_s=float(at), sent=20, rtts_us=() if at == lost_in else tuple(100.0 + 10 * n for n in range(20)))
        for at in range(1, 11)
    )
    rtts = [rtt for moment in moments for rtt in (*moment.rtts_us, *[None] * moment.lost)]
    seen = watched_of(
        target="192.0.2.1", address="192.0.2.1", probe="icmp", interval_s=0.05, rtts_us=rtts, moments=moments
    )
    return Result(kind=ResultKind.WATCH, started_at="2026-01-02T03:04:05Z", vppcfg_version="1.0", watched=(seen,))


def flows() -> Result:
    rates = tuple(Rate(from_s=at, to_s=at + 1.0, bps=2.3e9) for at in range(10))
    outcome = FlowsOutcome(
        iperf3_version="3.12",
        duration_s=10,
        placed_by="probe",
        flows=tuple(
            Flow(server_port=5201 + n, client_port=40000 + n, core=n, sent_bps=2.3e9, received_bps=2.3e9, rates=rates)
            for n in range(4)
        ),
        cores=tuple(
            CoresSample(
                at_s=at + 1.0,
                loads=tuple(CoreLoad(core=n, softirq=0.73, idle=0.25 + 0.01 * (at % 2)) for n in range(4)),
            )
            for at in range(10)
        ),
    )
    return Result(kind=ResultKind.FLOWS, started_at="2026-01-02T03:04:05Z", vppcfg_version="1.0", flows=outcome)


def latency() -> Result:
    delay = Delay(
        direction=THERE, sent=1000, received=999, average_us=815, minimum_us=None, maximum_us=23983, jitter_us=42,
        histogram=((700.0, 102_194), (800.0, 163_717), (900.0, 27_451), (20000.0, 2545)),
    )  # fmt: skip
    under = DelayAtLoad(load_pps=106_000, duration_s=30, delays=(delay,), totals=())
    return replace(ramp(), kind=ResultKind.LATENCY, samples=(), totals=(), verdict=None, delays=(under,))


def search() -> Result:
    base = ramp()
    found = Throughput(
        goal="NDR", loss_ratio=0.0, exceed_ratio=0.5, final_trial_s=1, duration_sum_s=21, relative_width=0.005,
        lower_bound_pps=50.0, upper_bound_pps=51.0, conditional_pps=50.0,
    )  # fmt: skip
    trials = tuple(Trial(load_pps=load, duration_s=1, totals=base.totals) for load in (100.0, 50.0, 51.0))
    return replace(base, kind=ResultKind.SEARCH, samples=(), verdict=None, trials=trials, throughputs=(found,))


EVERYTHING = (ramp(), search(), latency(), flows(), watched(), stateful_result())


def words_of(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def svgs_of(page: str) -> list[str]:
    return re.findall(r"<svg.*?</svg>", page, re.DOTALL)


def test_every_graph_is_well_formed_for_wide_and_for_narrow_screens() -> None:
    widths = [int(ET.fromstring(svg).get("width", "0")) for svg in svgs_of(page_of(EVERYTHING, "x"))]
    assert set(widths) == {1080, 360}
    assert len(widths) == 2 * 12


def test_no_page_has_more_graphs_than_anybody_looks_at() -> None:
    one = watched().watched[0]
    run = replace(watched(), watched=tuple(replace(one, target=f"192.0.2.{number}") for number in range(103)))
    page = page_of([run], "x")
    assert len(svgs_of(page)) == 2 * 100
    assert "3 more graphs are not drawn." in page
    assert "more graphs" not in page_of([watched()], "x")


@pytest.mark.parametrize("width", [1080, 360])
def test_no_word_of_a_graph_leaves_it(width: int) -> None:
    graph = rate_graph("A ramp", [ramp(30, "a long name of a run"), ramp(80, "another one, longer still")], None)
    for element in ET.fromstring(svg_of(graph, width)).iter(f"{SVG}text"):
        x, anchor, size = float(element.get("x", "")), element.get("text-anchor"), 5.5 * len(element.text or "")
        left = x - {"start": 0, "middle": size / 2, "end": size}[anchor or "start"]
        assert left >= -1, element.text
        assert left + size <= width + 12, element.text


def test_the_place_where_loss_begins_is_marked_and_in_the_table() -> None:
    assert "loss begins at 51 pps" in words_of(svg_of(rate_graph("t", [ramp(50)], None), 1080))
    (row,) = rows_of([ramp(50)], None)
    assert (row.rate.replace(NO_BREAK, " "), row.share, row.most) == ("50 pps, loss < 0.01 %", "50.0 %", "50 pps")


def test_a_run_without_loss_has_no_such_mark() -> None:
    assert not [word for word in words_of(svg_of(rate_graph("t", [ramp(500)], None), 1080)) if "begins" in word]


def test_a_larger_limit_moves_the_beginning() -> None:
    assert "loss begins at 63 pps" in words_of(svg_of(rate_graph("t", [ramp(50)], 0.2), 1080))


def test_the_ideal_line_is_drawn_once_for_runs_that_offered_the_same() -> None:
    graph = rate_graph("t", [ramp(50), ramp(60)], None)
    assert [line.label for line in graph.lines].count("ideal") == 1


def test_loss_has_a_logarithmic_scale_with_the_limit_in_it() -> None:
    graph = loss_graph("t", [ramp(50)], None)
    assert graph.y.is_log
    assert graph.y.low <= 0.0001 <= graph.y.high
    assert graph.y.place(0.0) == 0


def test_time_without_samples_stays_empty_and_is_told() -> None:
    whole = ramp(50)
    broken = replace(whole, samples=whole.samples[:20] + whole.samples[40:])
    (line,) = (line for line in rate_graph("t", [broken], None).lines if line.label == "received")
    assert [len(part) for part in line.parts] == [20, 60]
    assert "has no samples from 20 s to 40 s" in page_of([broken], "x")


def test_runs_of_one_name_can_be_told_apart() -> None:
    assert {row.run for row in rows_of([ramp(), ramp(), ramp(title="x")], None)} == {
        "bench 64 var2 unidirectional #1",
        "bench 64 var2 unidirectional #2",
        "x",
    }


def test_a_table_compares_routers_by_traffic_and_way() -> None:
    one, other = ramp(50, "old"), ramp(80, "new")
    assert one.offered is not None
    imix = replace(one, offered=replace(one.offered, profile="imix", size="imix"))
    table = matrix_of([one, imix, other, watched()], None)
    assert table is not None
    assert table.columns == ("bench 64 var2", "imix var2")
    assert table.rows == (
        ("old, unidirectional", "50 (50.0 %)", "50 (50.0 %)"),
        ("new, unidirectional", "80 (80.0 %)", ""),
    )
    assert matrix_of([one, watched()], None) is None


def test_runs_of_one_name_and_traffic_all_stand_in_that_table() -> None:
    table = matrix_of([ramp(50), ramp(80), ramp(60, "new")], None)
    assert table is not None
    assert table.rows == (
        ("Unidirectional #1", "50 (50.0 %)"),
        ("Unidirectional #2", "80 (80.0 %)"),
        ("new, unidirectional", "60 (60.0 %)"),
    )


def test_tests_with_connections_of_one_profile_stand_in_the_same_graphs() -> None:
    page = page_of([stateful_result("one router"), stateful_result("another", answered=100)], "x")
    assert page.count("<h2>Connections: http") == 1
    words = [word for svg in svgs_of(page) for word in words_of(svg)]
    assert {"one router", "another", "ideal", "failures begin at 100/s"} <= set(words)


def test_runs_on_links_of_different_speed_are_not_compared() -> None:
    with pytest.raises(UsageError, match=r"cannot be compared: the speed of the link is 1000000000 in one"):
        page_of([ramp(), ramp(link_bps=10**10)], "x")


def test_runs_of_other_traffic_stand_in_graphs_of_their_own() -> None:
    other = ramp()
    assert other.offered is not None
    imix = replace(other, offered=replace(other.offered, profile="imix", size="imix", link_bps=10**10))
    assert len(groups_of([ramp(), imix, watched(), watched()])) == 4


def test_what_a_result_says_cannot_break_the_page() -> None:
    page = page_of([ramp(title="</svg><script>alert(1)</script>")], "<b>&")
    assert "<script>alert" not in page
    assert "<h1>&lt;b&gt;&amp;</h1>" in page
    assert [ET.fromstring(svg) for svg in svgs_of(page)]


def test_an_interrupted_run_says_so() -> None:
    page = page_of([replace(ramp(), is_complete=False, verdict=None, totals=())], "x")
    assert "the run was interrupted" in page
    assert "interrupted</td>" in page


def test_a_run_without_samples_has_a_page_all_the_same() -> None:
    assert "This run has nothing to draw." in page_of([replace(ramp(), samples=())], "x")


def test_a_single_outlier_does_not_press_the_smoke_to_the_foot() -> None:
    moments = [
        Moment(at_s=float(at), sent=20, rtts_us=(100.0,) * 19 + (1e6 if at == 50 else 110.0,)) for at in range(1, 101)
    ]
    seen = watched_of(target="t", address="t", probe="icmp", interval_s=0.05, rtts_us=[1.0], moments=tuple(moments))
    assert smoke_graph("t", seen).y.high < 1.0


@given(st.lists(st.tuples(st.floats(0, 1e5), st.floats(0, 1e9)), min_size=1, max_size=5000, unique_by=lambda p: p[0]))
def test_thinning_keeps_order_and_extremes(points: list[tuple[float, float]]) -> None:
    ordered = sorted(points)
    kept = thinned(ordered, 200)
    assert list(kept) == sorted(kept)
    assert len(kept) <= 202
    assert max(y for _, y in kept) == max(y for _, y in ordered)
    assert min(y for _, y in kept) == min(y for _, y in ordered)


def theirs(**changes: Any) -> dict[str, Any]:
    """Return a short result as trex-loadtest writes it, with a loss in the last two seconds of the way there."""
    loads = [0.001, 0.2, 0.4, 0.6, 0.8, 1.0]

    def port(share: float, other: float) -> dict[str, float]:
        return {
            "tx_pps": share * 1488095.2, "rx_pps": other * 1488095.2, "tx_util": 100 * share, "rx_util": 100 * other,
            "tx_bps_L1": share * 1e9,
        }  # fmt: skip

    stats = {
        f"1600000000.{at}": {"0": port(load, load), "1": port(load, min(load, 0.7))} for at, load in enumerate(loads)
    }
    settings = {
        "server": "127.0.0.1", "profile_file": "udp_1pkt_simple_bdir.py", "warmup_mult": "1kpps", "warmup_duration": 30,
        "rampup_target": 100, "rampup_duration": 5, "hold_duration": 1, "unidirectional": False,
    }  # fmt: skip
    return {"vars": settings, "stats": stats, **changes}


def written(tmp_path: Path, document: object) -> Path:
    path = tmp_path / "theirs.json"
    path.write_text(json.dumps(document))
    return path


def test_a_result_of_trex_loadtest_is_read(tmp_path: Path) -> None:
    found = read_any(written(tmp_path, theirs()))
    assert found.offered is not None
    assert (found.offered.link_bps, found.offered.mean_frame_bytes) == (10**9, 64.0)
    assert found.offered.port_rate_pps == pytest.approx(1488095.2)
    there, back = rows_of([found], None)
    assert there.rate.replace(NO_BREAK, " ") == "1.042 Mpps, loss < 0.1 %"
    assert (back.most, back.what) == ("1.488 Mpps", "1 → 0")


def test_what_we_write_for_the_visualiser_we_read_again(tmp_path: Path) -> None:
    path = tmp_path / "ours.json"
    path.write_text(text_for_visualiser(ramp(50)))
    (row,) = rows_of([read_any(path)], None)
    assert row.most == "50 pps"


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        (theirs(stats={}), "its stats are empty"),
        (theirs(vars={}), "'profile_file' is missing"),
        (theirs(stats={"1": {"0": {}}}), "'1' is missing"),
        ({"format_version": 1}, "the result lacks"),
        ([1], "is no result of a load test"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, document: object, complaint: str) -> None:
    with pytest.raises(UsageError, match=r"theirs\.json") as caught:
        read_any(written(tmp_path, document))
    assert complaint in caught.value.message


def test_a_form_that_was_asked_for_is_insisted_on(tmp_path: Path) -> None:
    path = tmp_path / "ours.json"
    path.write_text(text_of(ramp()))
    assert read_any(path, FileForm.OURS) == ramp()
    with pytest.raises(UsageError, match="is no result of trex-loadtest"):
        read_any(path, FileForm.TREX_LOADTEST)


def test_the_command_writes_a_page_and_refuses_half_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, half, page = (tmp_path / name for name in ("whole.json", "half.json", "page.html"))
    whole.write_text(text_of(ramp()))
    half.write_text(text_of(ramp())[:2000])
    assert main(["loadtest", "report", str(whole), str(whole), "-o", str(page), "--title", "Two"]) == ExitCode.DONE
    assert "<h1>Two</h1>" in page.read_text()
    assert main(["loadtest", "report", str(whole), str(half), "-o", str(page)]) == ExitCode.INVALID
    assert "half.json is cut off" in capsys.readouterr().err


def test_the_loss_of_a_latency_run_is_that_of_the_load_beside_the_stamped_packets() -> None:
    (under,) = latency().delays
    total = Total(direction=THERE, tally=Tally(sent=1000, received=900), loss_ratio=0.1)
    (row,) = rows_of([replace(latency(), delays=(replace(under, totals=(total,)),))], None)
    assert row.loss == "10.00 %"
    (row,) = rows_of([latency()], None)
    assert row.loss == "0.1000 %"


def test_a_load_of_which_no_stamped_packet_comes_back_has_no_latency() -> None:
    (under,) = latency().delays
    silent = replace(under.delays[0], received=0, average_us=0.0, maximum_us=0.0, jitter_us=0.0, histogram=())
    total = Total(direction=THERE, tally=Tally(sent=1000), intended=1000, loss_ratio=1.0)
    result = replace(latency(), delays=(replace(under, delays=(silent,), totals=(total,)),))
    (row,) = rows_of([result], None)
    assert (row.rate, row.most, row.loss) == ("no answer", "", "100.00 %")
    assert "0.0" not in list(latency_lines(result))[1].split("100.00")[0]
    assert latency_text(silent) == "0->1: no answer; 1,000 of 1,000 lost"
