"""Linux as linux-cp meets it."""

from vppcfg.simulator.linux_side import LinuxSide


def test_every_namespace_exists_unless_they_are_listed() -> None:
    assert LinuxSide().has("anything")
    listed = LinuxSide(["dataplane"])
    assert [listed.has(name) for name in ("", "dataplane", "other")] == [True, True, False]


def test_a_tap_without_a_name_gets_one() -> None:
    linux = LinuxSide()
    names = [tap.name for tap in (linux.add_tap("", ""), linux.add_tap("", "")) if tap]
    assert names == ["tap0", "tap1"]


def test_a_device_takes_the_vlans_on_it_along() -> None:
    linux = LinuxSide()
    tap = linux.add_tap("", "tap")
    assert tap is not None
    outer = linux.add_vlan("", "outer", tap.index, 10, False)
    assert outer is not None
    assert linux.add_vlan("", "inner", outer.index, 20, False) is not None
    linux.remove("", "inner")
    assert linux.add_vlan("", "inner", outer.index, 20, False) is not None
    linux.remove("", "tap")
    assert [linux.device("", name) for name in ("tap", "outer", "inner")] == [None, None, None]
    linux.remove("", "tap")


def test_a_kernel_without_8021q_makes_no_vlans() -> None:
    linux = LinuxSide(has_vlans=False)
    tap = linux.add_tap("", "tap")
    assert tap is not None
    assert linux.add_vlan("", "vlan", tap.index, 10, False) is None
