"""Names are judged before anything is done with them."""

from collections.abc import Callable

import pytest

from vppcfg.errors import LinuxError
from vppcfg.linux.host import LinuxHost
from vppcfg.linux.refusal import require_device_name, require_netns_name
from vppcfg.model.linux import LinkSetting

NOBODY = LinuxHost(2**30)
"""The Linux around a process that cannot be: whoever gets so far says so."""
NO_NAMES = ["", ".", "..", "-a", "--help", "a/b", "/etc", "a\0b", "\ud800"]
NO_DEVICES = [*NO_NAMES, "a b", "a\tb", "a\n", "eth0:1", "a" * 16, "ä" * 8]
NO_NAMESPACES = [*NO_NAMES[1:], "pid:1", "a" * 256, "/proc/1/ns/net"]


@pytest.mark.parametrize("name", ["a", "be0.100", "e0-1_2", "a" * 15, "ä" * 7, "tap@x", "..."])
def test_linux_takes_this_name_of_a_device(name: str) -> None:
    require_device_name(name)


@pytest.mark.parametrize("name", ["dataplane", "a b", "a:b", "a" * 255])
def test_this_name_of_a_namespace_is_taken(name: str) -> None:
    require_netns_name(name)


@pytest.mark.parametrize(
    "work",
    [
        lambda name: NOBODY.add_bridge("", name),
        lambda name: NOBODY.set_links("", [LinkSetting(name=name, mtu=1500, is_up=True)]),
        lambda name: NOBODY.set_bridge("", name, "br0"),
        lambda name: NOBODY.set_bridge("", "e0", name or " "),
    ],
    ids=["add_bridge", "set_links", "set_bridge", "the bridge"],
)
def test_nothing_is_done_to_a_device_that_cannot_be(work: Callable[[str], object]) -> None:
    for name in NO_DEVICES:
        with pytest.raises(LinuxError, match="cannot be the name of a Linux device"):
            work(name)


@pytest.mark.parametrize(
    "work",
    [
        NOBODY.add_namespace,
        lambda name: NOBODY.observe([(name, "e0")]),
        lambda name: NOBODY.add_bridge(name, "br0"),
        lambda name: NOBODY.set_links(name, [LinkSetting(name="e0", mtu=1500, is_up=True)]),
        lambda name: NOBODY.set_bridge(name, "e0", ""),
    ],
    ids=["add_namespace", "observe", "add_bridge", "set_links", "set_bridge"],
)
def test_nothing_is_done_in_a_namespace_that_cannot_be(work: Callable[[str], object]) -> None:
    for name in NO_NAMESPACES:
        with pytest.raises(LinuxError, match="is not the name of a network namespace"):
            work(name)


def test_the_own_namespace_of_vpp_cannot_be_added() -> None:
    with pytest.raises(LinuxError, match="'' is not the name of a network namespace"):
        NOBODY.add_namespace("")
