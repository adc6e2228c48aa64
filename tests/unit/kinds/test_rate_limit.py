"""Rate limits: new before old, in place, and nothing that is left of others or of deleted interfaces is inherited."""

from dataclasses import replace
from typing import Any

import pytest
import yaml

from tests.kinds.there_and_back import configuration_of, plan_to
from tests.laws.test_simulator_laws import apply_to
from tests.simulated_vpp import connected
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.kinds import rate_limit_rules
from vppcfg.kinds.rate_limit import RateLimitKind
from vppcfg.kinds.rate_limit_operations import FreeInterface, LimitInterface, SetRateLimit, UpdatePolicer
from vppcfg.kinds.rate_limit_section import offset_of
from vppcfg.model.problem import Severity
from vppcfg.model.rate_limit import MARK, NAME_BYTES, LimitedInterface, LimitTable, Policer, RateLimit, user_of
from vppcfg.model.state import State
from vppcfg.model.vpp_object import VppObject
from vppcfg.operations.working_state import WorkingState
from vppcfg.plan.diff import diff
from vppcfg.plan.impact import Impact
from vppcfg.render.file_difference import file_difference
from vppcfg.simulator.kinds.classifier import ClassifierMain, Session, Table
from vppcfg.simulator.kinds.policer_classify import PolicerClassifyMain
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.guard import harm

NONE = 0xFFFFFFFF
ETH0 = 1
RATES = {"gold": {"rate": "100M"}, "trial": {"rate": "2M"}}


def router(eth0: dict[str, Any], eth1: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"interfaces": {"eth0": {"addresses": ["192.0.2.1/24"], **eth0}, "eth1": eth1 or {}}, "policers": RATES}


def bare() -> State:
    return assumed_state(configuration_of(router({})))


def reached(data: dict[str, Any]) -> State:
    return resolve(configuration_of(data), bare()).desired


def words(data: dict[str, Any], before: State) -> list[str]:
    return [f"{type(each).__name__} {each.subject}" for each in plan_to(data, before).operations]


def test_another_rate_comes_before_the_old_one_goes_and_touches_no_interface() -> None:
    assert words(router({"police": "trial"}), reached(router({"police": "gold"}))) == [
        *("AddPolicer trial:eth0", "SetRateLimit any in 0", "RemovePolicer gold:eth0"),
    ]


def test_vpp_shows_all_of_a_change_after_each_of_its_steps_so_that_it_can_be_undone() -> None:
    """Tables are looked for where there is a policer."""
    limited = router({"police": "gold"}, {"police-hosts": {"source": {"192.0.2.9": "trial"}}})
    for before, after in ((router({}), limited), (limited, router({}))):
        with connected(SimulatedVpp(state=bare())) as dataplane:
            apply_to(plan_to(before, dataplane.observe()), dataplane)
            observed = dataplane.observe()
            working = WorkingState(observed)
            for operation in plan_to(after, observed).operations:
                operation.apply_to(working)
                assert dataplane.perform([operation]).refusals == ()
                assert dataplane.observe().of(LimitTable) == working.state().of(LimitTable), operation


def test_hosts_of_another_length_come_behind_the_table_that_an_interface_has() -> None:
    hosts = {"198.51.100.9": "gold"}
    before = reached(router({"police-hosts": {"destination": hosts}}))
    after = router({"police-hosts": {"destination": {**hosts, "203.0.113.0/24": "trial", "0.0.0.0/0": "gold"}}})
    assert words(after, before) == [
        *(
            "AddPolicer gold:eth0>0.0.0.0/0",
            "AddPolicer trial:eth0>203.0.113.0/24",
            "AddLimitTable 1",
            "AddLimitTable 2",
        ),
        *("SetRateLimit 203.0.113.0/24 in 1", "SetRateLimit any in 2", "LinkLimitTable 1", "LinkLimitTable 0"),
    ]


def test_from_an_interface_to_its_hosts_there_is_a_moment_of_two_messages_alone() -> None:
    before = reached(router({"police": "gold"}))
    operations = plan_to(router({"police-hosts": {"source": {"192.0.2.9": "trial"}}}), before).operations
    kinds = [type(each) for each in operations if each.subject == "eth0 ipv4" or isinstance(each, SetRateLimit)]
    assert kinds == [SetRateLimit, FreeInterface, LimitInterface]
    places = [place for place, each in enumerate(operations) if each.subject == "eth0 ipv4"]
    assert places[1] - places[0] == 1


def test_what_is_left_on_the_index_of_a_deleted_interface_is_taken_off_and_set_anew() -> None:
    data = router({"police": "gold"})
    before = reached(data)
    use = before.of(LimitedInterface)["eth0 ipv4"]
    assert isinstance(use, LimitedInterface)
    uses = {**before.of(LimitedInterface), "eth0 ipv4": replace(use, is_on=False)}
    left = replace(before, objects={**before.objects, LimitedInterface: uses})
    assert words(data, left) == ["FreeInterface eth0 ipv4", "LimitInterface eth0 ipv4"]


def test_limits_of_an_interface_that_is_left_alone_stay() -> None:
    before = reached(router({"police": "gold"}))
    data = {"interfaces": {"eth1": {}}, "unmanaged": ["eth0"]}
    assert words(data, before) == []


def test_tables_of_other_programs_are_a_problem_where_the_file_limits_and_stay_elsewhere() -> None:
    vpp = SimulatedVpp(state=bare())
    table = vpp.tables.part(ClassifierMain).tables.add(
        lambda index: Table(index=index, mask=bytes(16), skipped=0, buckets=2, next=NONE, miss=NONE)
    )
    table.sessions[bytes(16)] = Session(hit=0, opaque=NONE, advance=0)
    with connected(vpp) as plane:
        vpp.tables.part(PolicerClassifyMain).tables[0][ETH0] = table.index
        observed = plane.observe()
        assert plan_to(router({}, {"police": "gold"}), observed).steps
        (problem,) = resolve(configuration_of(router({"police": "gold"})), observed).problems
        assert problem.rule == "police-taken"
        apply_to(plan_to(router({}, {"police": "gold"}), observed), plane)
        assert vpp.tables.part(PolicerClassifyMain).tables[0][ETH0] == table.index


@pytest.mark.parametrize("user", ["eth0", "x" * 80, "TenGigabitEthernet12/0/0.1234>2001:db8:111:222:333:444:5:666"])
def test_a_policer_has_a_name_that_vpp_keeps_and_that_no_other_user_has(user: str) -> None:
    users = [user_of("gold", each) for each in (user, user + "1")]
    policers = [Policer(policer="gold", user=each, rate_kbps=1, burst_bytes=1) for each in users]
    names = {f"{MARK}{policer.name}" for policer in policers}
    assert len(names) == 2 and all(len(name) <= NAME_BYTES for name in names)


@pytest.mark.parametrize(
    ("side", "tags", "is_ipv6", "bytes_before"),
    [("destination", 0, False, 30), ("source", 1, False, 30), ("source", 2, True, 30), ("destination", 1, True, 42)],
)
def test_an_address_stands_behind_the_tags_of_a_frame(side: str, tags: int, is_ipv6: bool, bytes_before: int) -> None:
    assert offset_of(side, tags, is_ipv6=is_ipv6) == bytes_before


def test_there_are_no_more_policers_than_vpp_tells_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit_rules, "POLICERS_MOST", 2)
    hosts = {"192.0.2.8/31": {"policer": "gold", "each": 32}}
    data = router({"police-hosts": {"source": hosts}}, {"police": "gold"})
    problems = parse_text(yaml.safe_dump(data), "file").problems
    assert [problem.rule for problem in problems if problem.severity is Severity.ERROR] == ["police-hosts-prefix"]


@pytest.mark.parametrize("limit", [{"police": "gold"}, {"police-hosts": {"source": {"192.0.2.9": "gold"}}}], ids=str)
def test_a_member_of_a_bond_has_no_limit(limit: dict[str, Any]) -> None:
    data = {
        "interfaces": {"eth0": limit, "BondEthernet0": {}},
        "bondethernets": {"BondEthernet0": {"interfaces": ["eth0"]}},
        "policers": RATES,
    }
    problems = parse_text(yaml.safe_dump(data), "file").problems
    assert [problem.rule for problem in problems if problem.severity is Severity.ERROR] == ["bond-member-mac"]


def test_a_limit_whose_policer_is_gone_is_not_restored() -> None:
    before = reached(router({"police": "gold"}))
    lost = replace(before, objects={kind: items for kind, items in before.objects.items() if kind is not Policer})
    assert RateLimitKind().restorable(lost).of(RateLimit) == {}
    assert RateLimitKind().restorable(before) is before


@pytest.mark.parametrize("kind", [Policer, RateLimit, LimitTable, LimitedInterface])
def test_whatever_differs_in_vpp_is_a_difference_that_watch_and_plan_show(kind: type[VppObject]) -> None:
    """Also where the words of the file are the same, as of one host's policer with another rate."""
    hosts = {"198.51.100.9": "gold", "198.51.100.8": "gold", "198.51.0.0/16": "trial"}
    data = router({"police-hosts": {"destination": hosts}}, {"police": "gold"})
    whole = reached(data)
    for name, item in whole.of(kind).items():
        others = {key: each for key, each in whole.of(kind).items() if key != name}
        changed = [others] + ([{**others, name: replace(item, rate_kbps=9)}] if isinstance(item, Policer) else [])
        for items in changed:
            observed = replace(whole, objects={**whole.objects, kind: items})
            resolution = resolve(configuration_of(data), observed)
            changes = list(diff(resolution.observed, resolution.desired))
            assert changes and file_difference(resolution.observed, resolution.desired, changes), name


@pytest.mark.parametrize(
    "other",
    [
        *(
            "",
            "conform-action transmit exceed-action transmit violate-action transmit",
            "conform-action transmit rate pps",
        ),
        *(
            "conform-action transmit violate-action transmit",
            "conform-action transmit exceed-action mark-and-transmit EF",
        ),
    ],
)
def test_a_policer_that_does_something_else_with_packets_differs_and_is_set_anew(other: str) -> None:
    data = router({"police": "gold"})
    vpp = SimulatedVpp(state=reached(data))
    assert vpp.run_line(f"configure policer name vppcfg:gold:eth0 cir 100000 cb 1250000 {other}") == (0, "")
    with connected(vpp) as plane:
        plan = plan_to(data, plane.observe())
        assert [type(each) for each in plan.operations] == [UpdatePolicer]
        apply_to(plan, plane)
        assert plan_to(data, plane.observe()).steps == ()


@pytest.mark.parametrize("limit", [{"police": "gold"}, {"police-hosts": {"source": {"192.0.2.9": "gold"}}}], ids=str)
@pytest.mark.parametrize("is_taken", [False, True], ids=["its own index", "an index that another one has taken"])
def test_limits_come_back_with_an_interface_that_somebody_has_deleted(limit: dict[str, Any], is_taken: bool) -> None:
    """VPP keeps the table of the index, shows it as that of the next interface, and takes no other one."""
    data = router({}, {"sub-interfaces": {100: {"addresses": ["198.51.100.1/24"], **limit}}})
    vpp = SimulatedVpp(state=reached(data))
    assert vpp.run_line("delete sub-interface eth1.100") == (0, "")
    assert not is_taken or vpp.run_line("create sub-interfaces eth0 7")[0] == 0
    with connected(vpp) as plane:
        apply_to(plan_to(data, plane.observe()), plane)
        observed = plane.observe()
        assert plan_to(data, observed).steps == () and not any(
            each.is_deleted for each in observed.of(LimitedInterface).values()
        )


@pytest.mark.parametrize(
    ("before", "after", "impact"),
    [
        ({"rate": "100M", "burst": "200k"}, {"rate": "90M", "burst": "200k"}, Impact.DEGRADE),
        ({"rate": "100M", "burst": "200k"}, {"rate": "100M", "burst": "100k"}, Impact.DEGRADE),
        ({"rate": "100M", "excess": {"mark": "cs1"}}, {"rate": "100M"}, Impact.DEGRADE),
        ({"rate": "100M"}, {"rate": "100M", "excess": {"mark": "cs1"}}, Impact.NONE),
        ({"rate": "100M", "burst": "200k"}, {"rate": "110M", "burst": "300k"}, Impact.NONE),
    ],
)
def test_a_policer_that_drops_more_degrades(before: dict[str, Any], after: dict[str, Any], impact: Impact) -> None:
    limited = router({"police": "gold"})
    plan = plan_to({**limited, "policers": {"gold": after}}, reached({**limited, "policers": {"gold": before}}))
    assert plan.steps
    assert plan.impact is impact
    assert bool(harm(plan, ["eth0"])) is bool(impact)


@pytest.mark.parametrize("is_listed", [True, False])
def test_a_policer_that_comes_into_effect_degrades(is_listed: bool) -> None:
    limited = router({"police": "gold"})
    state = reached(limited)
    off = {name: replace(each, is_on=False) for name, each in state.of(LimitedInterface).items() if is_listed}
    plan = plan_to(limited, replace(state, objects={**state.objects, LimitedInterface: off}))
    assert plan.impacts == {"gold:eth0": Impact.DEGRADE}
    assert harm(plan, ["eth0"]).endswith("degrade on eth0")
