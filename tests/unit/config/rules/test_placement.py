"""Rules about the threads that look after queues."""

import pytest

from vppcfg.config.load import parse_text

PORT = "interfaces: { TenGigabitEthernet1/0/0: { rx-placement: { 2: worker0 } } }\n"


@pytest.mark.parametrize(
    ("device", "is_beyond"),
    [
        ("{ rx-queues: 2 }", True),
        ("{ rx-queues: 3 }", False),
        ("{ name: uplink, rx-queues: 2 }", False),
        ("{ name: TenGigabitEthernet1/0/0, rx-queues: 2 }", True),
    ],
)
def test_the_queues_of_a_port_are_those_of_its_device_by_name_or_else_by_address(device: str, is_beyond: bool) -> None:
    """A device with another name is another port."""
    dataplane = f'dataplane: {{ cpu: {{ workers: 2 }}, dpdk: {{ devices: {{ "0000:01:00.0": {device} }} }} }}\n'
    problems = parse_text(PORT + dataplane, "file").problems
    assert [problem.text for problem in problems if problem.rule == "placement-dataplane"] == [
        "by `rx-queues` below `dataplane`, TenGigabitEthernet1/0/0 has 2, counted from 0, and no 2"
    ] * is_beyond
