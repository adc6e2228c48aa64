"""Work grows with the file: counted in function calls, not in seconds, so that a busy machine changes nothing."""

import cProfile
import pstats
from collections.abc import Callable
from functools import partial

import pytest

from vppcfg.common.addresses import _canonical, address_key
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.config.valid_dump import write
from vppcfg.model.state import State


def calls_in(work: Callable[[], object]) -> int:
    """Return the number of function calls, primitive ones included, that some work takes with empty caches."""
    for cache in (_canonical, address_key):
        cache.cache_clear()
    profile = cProfile.Profile()
    profile.runcall(work)
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


def router(count: int) -> str:
    """Return a file with sub-interfaces of all kinds on one port, each with an LCP and two addresses."""
    lines = ["interfaces:", "  eth0:", "    mtu: 9000", "    lcp: e0", "    sub-interfaces:"]
    for number in range(1, count + 1):
        lines += [
            f"      {number}:",
            f"        lcp: e0.{number}",
            f"        encapsulation: {{ dot1q: {number}, exact-match: true }}",
            f"        addresses: [ 10.{number >> 8}.{number & 255}.1/24, 2001:db8:{number:x}::1/64 ]",
        ]
    return "\n".join(lines)


def one_prefix(count: int) -> str:
    """Return a file with many addresses of one prefix on one port."""
    addresses = "\n".join(f"    - 10.0.{number >> 8}.{number & 255}/16" for number in range(1, count + 1))
    return f"interfaces:\n  eth0:\n    addresses:\n{addresses}\n"


def overlaps(count: int) -> str:
    """Return a file in which every port has the same address and LCP name."""
    ports = "\n".join(f"  eth{number}: {{addresses: [10.0.0.1/8], lcp: e0}}" for number in range(count))
    return f"interfaces:\n{ports}\n"


def cross_connects(count: int) -> str:
    """Return a file in which every port sends to the same one."""
    return "interfaces:\n" + "\n".join(f"  eth{number}: {{l2xc: eth0}}" for number in range(count)) + "\n"


def shapeless(count: int) -> str:
    """Return a file in which every entry has keys and values that are wrong."""
    return "interfaces:\n" + "\n".join(f"  eth{number}: {{mtuu: 1, mtu: x}}" for number in range(count)) + "\n"


def duplicates(count: int) -> str:
    """Return a file in which every key stands twice."""
    return "interfaces:\n" + "\n".join(f"  eth{number // 2}: {{}}" for number in range(count)) + "\n"


def listed(count: int) -> str:
    """Return a file with as many ports as unmanaged names."""
    names = range(count)
    ports = "\n".join(f"  eth{number}: {{}}" for number in names)
    return f"interfaces:\n{ports}\nunmanaged:\n" + "\n".join(f"  - loop{number}" for number in names)


def bridged(count: int) -> str:
    """Return a file with ports in one bridge domain, each of them listed twice, and in one bond."""
    names = [f"eth{number}" for number in range(count)]
    ports = "\n".join(f"  {name}: {{}}" for name in names)
    members = "\n".join(f"      - {name}" for name in (*names, *names))
    return (
        f"interfaces:\n  BondEthernet0: {{}}\n{ports}\nbridgedomains:\n  bd1:\n    interfaces:\n{members}\n"
        f"bondethernets:\n  BondEthernet0:\n    interfaces:\n{members}\n"
    )


def tunnels(count: int) -> str:
    """Return a file with tunnels, every second one with the VNI of the one before."""
    ends = "local: 192.0.2.1, remote: 192.0.2.2"
    return "vxlan_tunnels:\n" + "\n".join(
        f"  vxlan_tunnel{number}: {{ {ends}, vni: {number // 2 + 1} }}" for number in range(count)
    )


def filtered(count: int) -> str:
    """Return a file with an ACL of many terms, and a list of many prefixes in one of them."""
    members = "\n".join(f"      - 10.{number >> 8}.{number & 255}.0/24" for number in range(count))
    terms = "\n".join(f"      - {{ action: permit, protocol: tcp, source-port: {n} }}" for n in range(count))
    last = "      - { action: deny, source: l }"
    return f"prefixlists:\n  l:\n    members:\n{members}\nacls:\n  a:\n    terms:\n{terms}\n{last}\n"


@pytest.mark.parametrize(
    "text_of",
    [router, one_prefix, overlaps, cross_connects, shapeless, duplicates, listed, bridged, tunnels, filtered],
    ids=lambda f: f.__name__,
)
def test_loading_four_times_as_much_takes_four_times_the_work(text_of: Callable[[int], str]) -> None:
    parse_text(text_of(10), "warm")
    small, large = (calls_in(partial(parse_text, text_of(count), "work")) for count in (250, 1000))
    assert large < 4.2 * small


def state_of(text: str) -> State:
    configuration = parse_text(text, "state").configuration
    assert configuration is not None
    observed = assumed_state(configuration)
    return resolve(configuration, observed).desired


@pytest.mark.parametrize("text_of", [router, one_prefix], ids=lambda f: f.__name__)
def test_writing_four_times_as_much_takes_four_times_the_work(text_of: Callable[[int], str]) -> None:
    small, large = (calls_in(partial(write, state_of(text_of(count)))) for count in (250, 1000))
    assert large < 4.4 * small


def test_an_address_is_parsed_once() -> None:
    text = router(500)
    calls_in(lambda: parse_text(text, "work"))
    assert _canonical.cache_info().misses == 1000
    assert address_key.cache_info().misses == 1000
