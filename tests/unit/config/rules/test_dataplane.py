"""The rules of the dataplane section, beyond the examples of their explanations."""

import pytest

from vppcfg.config.load import parse_text

DPDK = 'dataplane: { dpdk: { multi-seg: false, devices: { "0000:01:00.0": { name: xe0 } } } }\n'


def rules_of(text: str) -> list[str]:
    return sorted(problem.rule for problem in parse_text(text, "test").problems)


@pytest.mark.parametrize(("mtu", "broken"), [(2022, []), (2023, ["multi-seg-mtu"])])
def test_a_frame_has_to_fit_into_a_buffer(mtu: int, broken: list[str]) -> None:
    assert rules_of(f"interfaces: {{ xe0: {{ device-type: dpdk, mtu: {mtu} }} }}\n{DPDK}") == broken


def test_ports_of_other_drivers_may_be_larger_than_a_buffer() -> None:
    text = "interfaces: { xe0: { device-type: dpdk }, host0: { device-type: af-packet, mtu: 9000 } }\n"
    assert rules_of(text + DPDK) == []


def test_a_bond_of_dpdk_ports_has_to_fit_too() -> None:
    text = (
        "interfaces:\n  xe0: { device-type: dpdk }\n  BondEthernet0: { mtu: 9000 }\n"
        "bondethernets: { BondEthernet0: { interfaces: [ xe0 ] } }\n"
    )
    assert "multi-seg-mtu" in rules_of(text + DPDK)


def test_multi_seg_that_is_left_open_forbids_no_mtu() -> None:
    assert rules_of("interfaces: { TenGigabitEthernet1/0/0: { mtu: 9000 } }\ndataplane: {}\n") == []


@pytest.mark.parametrize(
    ("device", "interfaces", "broken"),
    [
        ('"0000:af:00.1": {}', "HundredGigabitEthernetaf/0/1: {}", []),
        ('"0001:01:00.0": {}', "TenGigabitEthernet-1/1/0/0: {}", []),
        ('"0000:01:00.0": { name: up }', "up: { device-type: dpdk }", []),
        ('"0000:01:00.0": { name: up }', "down: { device-type: dpdk }", ["device-interface", "interface-device"]),
        ('"0000:01:00.0": {}', "GigabitEthernet1/0/0: { device-type: rdma }", []),
        ('"0000:01:00.0": {}', "GigabitEthernet2/0/0: { device-type: rdma }", ["device-interface"]),
    ],
)
def test_devices_and_interfaces_belong_together(device: str, interfaces: str, broken: list[str]) -> None:
    text = f"interfaces: {{ {interfaces} }}\ndataplane: {{ dpdk: {{ devices: {{ {device} }} }} }}\n"
    assert rules_of(text) == broken


@pytest.mark.parametrize(
    ("interfaces", "plugins", "broken"),
    [
        ("xe0: { device-type: memif }", "[ memif ]", []),
        ("xe0: { device-type: memif }", "[ memif_plugin.so ]", []),
        ("xe0: { device-type: memif }", "[]", ["plugin-missing"]),
        ("xe0: { device-type: virtio, addresses: [ 192.0.2.1/24 ] }", "[]", []),
        ("xe0: { device-type: virtio, lcp: e0 }", "[ linux_cp ]", []),
        ("xe0: { device-type: virtio, lcp: e0 }", "[ linux_nl ]", ["plugin-missing"]),
    ],
)
def test_a_list_of_plugins_has_what_the_file_needs(interfaces: str, plugins: str, broken: list[str]) -> None:
    assert rules_of(f"interfaces: {{ {interfaces} }}\ndataplane: {{ plugins: {plugins} }}\n") == broken


@pytest.mark.parametrize(
    ("device", "broken"),
    [
        ("rx-queues: 2, workers: [ 0, 1 ]", []),
        ("workers: [ 1 ]", []),
        ("rx-queues: 1, workers: [ 0, 1 ]", ["queue-workers"]),
        ("rx-queues: 2, workers: [ 1, 1 ]", ["queue-workers"]),
        ("workers: [ 2 ]", ["queue-workers"]),
    ],
)
def test_queues_and_workers_go_together(device: str, broken: list[str]) -> None:
    text = (
        "interfaces: { GigabitEthernet1/0/0: {} }\n"
        f'dataplane: {{ cpu: {{ workers: 2 }}, dpdk: {{ devices: {{ "0000:01:00.0": {{ {device} }} }} }} }}\n'
    )
    assert rules_of(text) == broken


WRONG = [
    *("cpu: { main-core: -1 }", "cpu: { main-core: true }", "cpu: { workers: 257 }", "cpu: { workers: [] }"),
    *("cpu: { workers: [ 1, 1 ] }", 'cpu: { workers: "3-1" }', "cpu: { isolate: 3 }", "cpu: { smt: maybe }"),
    *("memory: { main-heap: 1 }", "memory: { main-heap: 100000001 }", "memory: { hugepage-size: 3M }"),
    *("memory: { routes: many }", "buffers: { per-numa: 0 }", "statseg: 16M", "dpdk: { multi-seg: 1 }"),
    *("dpdk: { default: { rx-queues: 0 } }", "unix: { exec: relative/path }", 'unix: { exec: "/etc/a{b" }'),
    *('unix: { exec: "/etc/a b" }', 'unix: { gid: "a b" }', "plugins: dpdk", "plugins: [ dpdk, dpdk ]"),
    *("plugins: [ ../x ]", "plugins: [ dpdk.so ]", "linux-cp: { netns: a/b }", "linux-cp: { netlink-buffer: 1 }"),
    *("kernel: { level: fast }", "kernel: { hugepages: -1 }"),
]


@pytest.mark.parametrize("section", WRONG)
def test_a_value_that_cannot_be_is_one_problem_at_its_place(section: str) -> None:
    (problem,) = parse_text(f"dataplane:\n  {section}\n", "test").problems
    assert problem.rule in {"schema-value", "schema-type"}
    assert problem.line == 2


@pytest.mark.parametrize("section", ["cpu: auto", "cpu: []", "7", "[ cpu ]", "dpdk: { devices: [ a ] }"])
def test_a_section_of_a_wrong_shape_is_a_problem(section: str) -> None:
    assert parse_text(f"dataplane:\n  {section}\n", "test").configuration is None


def test_a_misspelt_key_gets_a_hint() -> None:
    (problem,) = parse_text("dataplane: { cpu: { worker: 2 } }", "test").problems
    assert problem.text == "unknown key `worker`; did you mean `workers`?"


@pytest.mark.parametrize("key", ["dpdk", "0000:01:00", "0000:01:00.9"])
def test_a_device_that_is_no_address_is_a_problem(key: str) -> None:
    text = f'dataplane: {{ dpdk: {{ devices: {{ "{key}": {{}} }} }} }}'
    assert rules_of(text) == ["dataplane-pci-address"]


def native(device: str, *, interface: str = "xe0: { device-type: ige }", more: str = "") -> list[str]:
    return rules_of(f'interfaces: {{ {interface} }}\ndataplane: {{ {more} devices: {{ "0000:01:00.0": {device} }} }}\n')


@pytest.mark.parametrize(
    ("driver", "keys", "broken"),
    [
        ("ige", "rx-queues: 4, tx-queues: 4", 0),
        ("ige", "rx-queues: 5, tx-queues: 5", 2),
        ("iavf", "rx-queues: 32", 0),
        ("iavf", "rx-queues: 33", 1),
        ("octeon", "tx-queues: 64", 0),
        ("octeon", "tx-queues: 65", 1),
        ("ige", "rx-descriptors: 512, tx-descriptors: 32768", 0),
        ("ige", "rx-descriptors: 256, tx-descriptors: 768", 2),
        ("iavf", "rx-descriptors: 32, tx-descriptors: 4096", 0),
        ("iavf", "rx-descriptors: 96, tx-descriptors: 8192", 2),
        ("octeon", "rx-descriptors: 288, tx-descriptors: 16384", 0),
        ("octeon", "rx-descriptors: 300, tx-descriptors: 224", 2),
        ("atlantic", "rx-descriptors: 72, tx-descriptors: 8184", 0),
        ("atlantic", "rx-descriptors: 60, tx-descriptors: 8192", 2),
        ("atlantic", "rx-queues: auto, rx-descriptors: auto", 0),
    ],
)
def test_a_driver_of_vpps_own_takes_its_queues_and_rings(driver: str, keys: str, broken: int) -> None:
    found = native(f"{{ driver: {driver}, name: xe0, {keys} }}", interface=f"xe0: {{ device-type: {driver} }}")
    assert found == ["native-device-bounds"] * broken


@pytest.mark.parametrize(("length", "broken"), [(31, []), (32, ["native-device-bounds"])])
def test_vpp_reads_31_characters_of_a_name(length: int, broken: list[str]) -> None:
    name = "x" * length
    assert native(f"{{ driver: ige, name: {name} }}", interface=f"{name}: {{}}") == broken


def test_a_device_of_vpps_own_drivers_without_a_name_is_called_after_its_place() -> None:
    assert native("{ driver: ige }", interface="ige0/0: {}") == []
    assert native("{ driver: ige }", interface="ige1/0: {}") == ["device-interface"]
    assert native("{ driver: ige }", interface="ige0/0: { device-type: ige }, xe9: { device-type: ige }") == [
        "interface-device"
    ]


def test_names_are_unique_over_both_kinds_of_devices() -> None:
    dpdk = 'dpdk: { devices: { "0000:02:00.0": { name: ige0/0 } } },'
    assert native("{ driver: ige }", interface="ige0/0: {}", more=dpdk) == ["device-name-duplicate"]


def test_a_port_of_vpps_own_driver_that_is_called_like_one_of_dpdk_needs_no_device_there() -> None:
    dpdk = "dpdk: { multi-seg: false, devices: {} },"
    name = "TenGigabitEthernet1/0/0"
    assert native(f"{{ driver: ige, name: {name} }}", interface=f"{name}: {{ mtu: 9000 }}", more=dpdk) == []


@pytest.mark.parametrize("key", ["0000:01:00", "01:00.0"])
def test_a_device_of_vpps_own_drivers_has_a_pci_address(key: str) -> None:
    text = f'interfaces: {{}}\ndataplane: {{ devices: {{ "{key}": {{ driver: ige }} }} }}\n'
    assert rules_of(text) == ["dataplane-pci-address"]


def test_an_unknown_driver_is_refused() -> None:
    text = 'interfaces: {}\ndataplane: { devices: { "0000:01:00.0": { driver: ena } } }\n'
    (problem,) = parse_text(text, "test").problems
    assert "iavf" in problem.text


@pytest.mark.parametrize("device", ["{}", "null", "{ name: xe0 }", "{ driver: [ige] }"])
def test_a_device_without_a_driver_is_refused_and_the_rest_of_the_file_is_judged(device: str) -> None:
    text = f'interfaces: {{ xe0: {{ mtu: 1 }} }}\ndataplane: {{ devices: {{ "0000:01:00.0": {device} }} }}\n'
    problems = parse_text(text, "test").problems
    assert any(problem.path[:3] == ("dataplane", "devices", "0000:01:00.0") for problem in problems)
    assert any(problem.path[:1] == ("interfaces",) for problem in problems)
