"""Live addresses beside states that are compared: those of now stay, and what a file lists is the file's."""

from dataclasses import replace

from vppcfg.config.dump import with_names_of
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import Resolution, resolve
from vppcfg.config.valid_dump import write
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.live import LiveAddress, LiveSource
from vppcfg.model.live_state import claimed, configured_on, with_live_of
from vppcfg.model.state import State
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import make_plan
from vppcfg.plan.rollback import closest_to
from vppcfg.plan.state_document import document_of, state_of

EUI = "2001:db8:1::ff:fe00:1/64"
VIRTUAL = LiveAddress(address="192.0.2.254/24", source=LiveSource.VRRP)


def port(*addresses: str, live: tuple[LiveAddress, ...] = (), name: str = "eth0") -> Interface:
    return Interface(
        name=name,
        kind=InterfaceKind.PHYSICAL,
        device_class="dpdk",
        mac="02:00:00:00:00:01",
        link_mtu=1500,
        packet_mtu=1500,
        is_up=True,
        addresses=frozenset(addresses),
        live=live,
    )


def state(*interfaces: Interface) -> State:
    return State(interfaces={each.name: each for each in interfaces})


def resolved(keys: str, observed: State) -> Resolution:
    configuration = parse_text(f"interfaces:\n  eth0: {{ {keys} }}\n", "file").configuration
    assert configuration is not None
    return resolve(configuration, observed)


def test_a_virtual_address_that_comes_or_goes_meanwhile_is_no_difference() -> None:
    backup, master = state(port("192.0.2.1/24")), state(port("192.0.2.1/24", VIRTUAL.address, live=(VIRTUAL,)))
    for before, after in ((backup, master), (master, backup)):
        wanted = resolved("addresses: [ 192.0.2.1/24 ]", before).desired
        assert list(diff(before, wanted)) == list(diff(after, with_live_of(wanted, after))) == []
        assert make_plan(after, closest_to(before, after, lambda name: False).state).steps == ()


def test_an_address_that_the_file_lists_is_the_files_and_goes_with_the_way_back() -> None:
    """Autoconfiguration is told by the form of its addresses, which anybody may configure."""
    by_its_form = LiveAddress(address=EUI, source=LiveSource.SLAAC)
    before, after = state(port()), state(port(EUI, live=(by_its_form,)))
    plan = make_plan(before, resolved(f"addresses: [ '{EUI}' ]", before).desired)
    assert list(diff(after, with_live_of(plan.desired, after))) == []
    resolution = resolved(f"addresses: [ '{EUI}' ]", after)
    assert configured_on(resolution.observed.interfaces["eth0"]) == {EUI}
    assert configured_on(claimed(after, plan.desired).interfaces["eth0"]) == {EUI}
    back = closest_to(before, after, lambda name: False, (), plan.desired).state
    assert [type(step.operation).__name__ for step in make_plan(after, back).steps] == ["RemoveAddress"]
    assert make_plan(after, resolved("mtu: 1500", after).desired).steps == ()


def test_addresses_in_prefixes_that_are_left_alone_are_no_difference_then_or_later() -> None:
    keys = "addresses: [ 192.0.2.1/24 ], unmanaged-addresses: [ 192.0.2.0/25, 2001:db8::7 ]"
    before = state(port("192.0.2.1/24"))
    assert [each.rule for each in parse_text(f"interfaces:\n  eth0: {{ {keys} }}\n", "file").problems] == [
        "address-unmanaged"
    ]
    wanted = resolved(keys.replace("192.0.2.0/25", "192.0.2.254"), before)
    assert list(diff(wanted.observed, wanted.desired)) == []
    later = state(port("192.0.2.1/24", "192.0.2.254/24", "2001:db8::7/64"))
    assert list(diff(later, with_live_of(wanted.desired, later))) == []
    assert make_plan(later, closest_to(wanted.observed, later, lambda name: False).state).steps == ()
    other = state(port("192.0.2.1/24", "2001:db8::8/64"))
    assert [change.name for change in diff(other, with_live_of(wanted.desired, other))] == ["eth0"]


def test_a_live_address_that_the_file_overlaps_elsewhere_is_a_problem() -> None:
    observed = state(port("192.0.2.254/24", live=(VIRTUAL,)), port(name="eth1"))
    configuration = parse_text("interfaces:\n  eth0: {}\n  eth1: { addresses: [ 192.0.2.7/25 ] }\n", "").configuration
    assert configuration is not None
    resolution = resolve(configuration, observed)
    (problem,) = resolution.problems
    assert (problem.rule, resolution.is_possible) == ("address-overlap", False)
    assert problem.text == "192.0.2.7/25 overlaps an address that eth0 has by VRRP; correct one"


def test_the_dump_of_an_applied_file_keeps_what_is_left_alone_and_a_document_has_all_of_it() -> None:
    text = "interfaces:\n  eth0:\n    mtu: 1500\n    unmanaged-addresses: [ 2001:db8::/64 ]\n"
    configuration = parse_text(text, "file").configuration
    assert configuration is not None
    found = state(port("2001:db8::7/64", VIRTUAL.address, live=(VIRTUAL,)))
    assert write(with_names_of(configuration, found)) == text
    known = with_names_of(configuration, replace(found, interfaces={**found.interfaces}))
    again = state_of(document_of(known)).interfaces["eth0"]
    assert (again.live, again.unmanaged_addresses) == (known.interfaces["eth0"].live, ("2001:db8::/64",))
