"""The capacity model against figures that were measured, and where it must not be believed."""

from dataclasses import replace

import pytest

from tests.unit.tune.material import load, recorded, rules, saturated, saturated_rate, worker
from vppcfg.common.rates import line_rate_pps
from vppcfg.errors import UsageError
from vppcfg.tune.capacity import Model, compose, cpu_load, fitted, from_one, workers_needed
from vppcfg.tune.costs import CostSample, least_squares, poll_cost, sample_of, time_use
from vppcfg.tune.interval import load_of
from vppcfg.tune.reading import PrintedRates, Processor, Reading
from vppcfg.tune.show.runtime import parse_runtime

ONE, TWO, BOTH = "fitlet2_i211_to_i210", "fitlet2_i210_to_i211", "fitlet2_both_ways"


def sample(name: str) -> CostSample:
    return sample_of(recorded(name), name)


def run(name: str) -> CostSample:
    return sample_of(saturated(name), name)


@pytest.fixture
def model() -> Model:
    return fitted([sample(TWO), sample(BOTH)])


@pytest.mark.parametrize(("name", "clocks", "share"), [(ONE, 1144.5, 0.820), (TWO, 952.4, 0.887), (BOTH, 526.0, 0.979)])
def test_clocks_per_packet_are_weighted_by_packets(name: str, clocks: float, share: float) -> None:
    assert sample(name).clocks_per_packet == pytest.approx(clocks, abs=0.1)
    assert sample(name).share_used == pytest.approx(share, abs=0.001)


def test_a_third_load_is_predicted_within_the_stated_error(model: Model) -> None:
    held_out = sample(ONE)
    assert model.predicted(held_out) / held_out.clocks_per_packet - 1 == pytest.approx(0.045, abs=0.001)


@pytest.mark.parametrize(
    ("vectors", "mpps"), [(1, 0.67), (2, 1.15), (4, 1.78), (8, 2.45), (16, 3.01), (32, 3.41), (64, 3.65), (256, 3.85)]
)
def test_the_curve_over_vectors_is_that_of_the_machine(model: Model, vectors: int, mpps: float) -> None:
    assert model.pps(vectors) / 1e6 == pytest.approx(mpps, abs=0.02)


def test_the_interval_is_wider_where_nothing_was_measured(model: Model) -> None:
    inside, outside = model.estimate(8), model.estimate(256)
    assert inside.low_pps / inside.pps == pytest.approx(0.95)
    assert outside.low_pps / outside.pps == pytest.approx(0.85)
    assert "extrapolated" in outside.basis


def test_three_loads_tell_idle_polls_from_work() -> None:
    samples = [sample(ONE), sample(TWO), sample(BOTH)]
    cost = poll_cost(samples)
    assert (round(cost.per_empty_poll), round(cost.per_full_poll), round(cost.per_packet)) == (214, 385, 144)
    uses = [time_use(one, cost) for one in samples]
    assert [round(100 * use.empty_polls, 1) for use in uses] == [21.6, 8.1, 0.0]
    assert [round(100 * use.work, 1) for use in uses] == [60.5, 80.6, 97.9]


@pytest.mark.parametrize(("name", "percent"), [(ONE, 30), (TWO, 38), (BOTH, 77)])
def test_load_is_measured_against_what_full_vectors_would_give(model: Model, name: str, percent: int) -> None:
    assert 100 * sample(name).rx_pps / model.pps() == pytest.approx(percent, abs=1)


def test_one_sample_at_low_load_is_a_lower_bound_only() -> None:
    estimate = from_one(sample(ONE))
    assert estimate.pps == pytest.approx(1.389e6, rel=1e-3)
    assert estimate.high_pps is None
    assert estimate.pps < 2.9592e6 / 1.5
    assert "lower bound" in estimate.basis


@pytest.mark.parametrize(
    ("name", "error"),
    [("iacl_stateless", 0.0037), ("iacl_stateful", 0.0061), ("oacl_stateless", 0.0048), ("oacl_stateful", 0.0069),
     ("cop", 0.0050)],
)  # fmt: skip
def test_a_saturated_sample_is_its_own_capacity(name: str, error: float) -> None:
    estimate = from_one(run(name))
    assert estimate.pps / saturated_rate(name) - 1 == pytest.approx(error, abs=0.0012)
    assert estimate.high_pps is not None
    assert estimate.low_pps <= saturated_rate(name) <= estimate.high_pps


@pytest.mark.parametrize(
    ("add", "drop", "seen", "observed", "error"),
    [
        (["acl-plugin-in-ip4-fa"], ["acl-plugin-in-ip4-fa"], "iacl_stateful", 301.5, -0.002),
        (["acl-plugin-out-ip4-fa", "interface-output"], ["acl-plugin-in-ip4-fa"], "oacl_stateless", 386.7, 0.006),
        (["acl-plugin-out-ip4-fa", "interface-output"], ["acl-plugin-in-ip4-fa"], "oacl_stateful", 314.3, 0.006),
    ],
)
def test_costs_of_nodes_carry_over_to_other_paths(
    add: list[str], drop: list[str], seen: str, observed: float, error: float
) -> None:
    made = compose(run("iacl_stateless"), [run(seen)], dict.fromkeys(add, 1.0), dict.fromkeys(drop, 1.0))
    assert made.clocks / observed - 1 == pytest.approx(error, abs=0.002)
    assert made.remarks == ()


def test_a_composition_at_another_load_says_so() -> None:
    made = compose(run("iacl_stateless"), [sample(ONE)], {"l2-input": 1.0}, {})
    assert "other loads" in made.remarks[0]


def test_a_node_that_nobody_has_seen_is_an_error_that_names_those_seen() -> None:
    with pytest.raises(UsageError, match="no sample has a node sflow") as raised:
        compose(run("cop"), [], {"sflow": 1.0}, {})
    assert "cop-input" in raised.value.hint


def test_samples_that_are_too_much_alike_are_refused() -> None:
    with pytest.raises(UsageError, match="too much alike"):
        fitted([sample(TWO), sample(TWO)])


def test_samples_of_different_machines_are_refused() -> None:
    with pytest.raises(UsageError, match="different CPUs"):
        fitted([sample(TWO), replace(sample(BOTH), base_hz=3e9)])


def test_a_coarse_counter_is_refused() -> None:
    load = recorded(TWO)
    slow = replace(load, reading=replace(load.reading, cpu=Processor(model="", base_hz=25e6)))
    with pytest.raises(UsageError, match="too coarse"):
        sample_of(slow, "aarch64")


def test_three_gigabit_ports_need_two_workers(model: Model) -> None:
    offered = 3 * line_rate_pps(10**9, 64)
    assert offered == pytest.approx(4.464e6, rel=1e-3)
    assert workers_needed(offered, model.pps()) == 2


def test_least_squares_solves_what_has_a_solution_and_refuses_what_has_none() -> None:
    assert least_squares([(1.0, 1.0), (2.0, 1.0), (3.0, 1.0)], [5.0, 7.0, 9.0]) == pytest.approx((2.0, 3.0))
    with pytest.raises(ValueError, match="too much alike"):
        least_squares([(1.0, 1.0), (1.0, 1.0)], [5.0, 5.0])


def test_a_thread_whose_input_nodes_are_not_in_the_text_has_no_costs() -> None:
    rates = PrintedRates(received_pps=1e6, sent_pps=1e6, dropped_pps=0.0, punted_pps=0.0)
    nodes = tuple(replace(node, name="ip4-input") for node in worker().nodes if not node.is_input)
    cut = replace(worker(), nodes=nodes, printed=rates)
    of = load(threads=(cut,), reading=Reading(cpu=Processor(model="a CPU", base_hz=2.5e9)))
    with pytest.raises(UsageError, match="no node of vpp_wk_0 takes packets from a device"):
        sample_of(of, "cut")


def test_a_thread_whose_time_is_not_in_the_text_has_no_costs() -> None:
    text = (
        "Thread 1 vpp_wk_0 (lcore 2)\ndpdk-input polling 9 900 0 9.1e1 100.00\nip4-input active 9 900 0 4.1e1 100.00\n"
    )
    threads, _ = parse_runtime(text)
    of = load_of([Reading(threads=threads, cpu=Processor(model="", base_hz=2e9))])
    with pytest.raises(UsageError, match="a: how long vpp_wk_0 took for its packets is missing"):
        sample_of(of, "a")
    with pytest.raises(UsageError, match="took for its packets is missing"):
        cpu_load(of, [])


def test_a_table_without_its_column_of_clocks_has_no_costs() -> None:
    text = (
        "Thread 1 vpp_wk_0 (lcore 2)\nTime 10.0, 10 sec internal node vector rate 2.10 loops/sec 9.00\n"
        "Name State Calls Vectors Suspends Vectors/Call\n"
        "dpdk-input polling 9 2250 0 250.00\nip4-input active 9 2250 0 250.00\n"
    )
    threads, _ = parse_runtime(text)
    of = load_of([Reading(threads=threads, cpu=Processor(model="", base_hz=2e9))])
    with pytest.raises(UsageError, match="a: the clocks that nodes took are missing"):
        sample_of(of, "a")
    assert "cpu-bound" in rules(of)
