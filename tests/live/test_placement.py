"""Queues of ports on workers: a real VPP with none, one and two of them, and a simulated one beside it."""

import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.trees import grow
from tests.real_vpp import release
from tests.startup_vpp import StartupVpp, starting, unsupported_reason
from vppcfg.cli.main import main
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.channel import Channel
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.unixsocket import open_socket

pytestmark = [pytest.mark.live, pytest.mark.skipif(unsupported_reason() is not None, reason=str(unsupported_reason()))]

PORTS = {"host-da": (3, 2), "host-db": (2, 3)}
"""Receive and transmit queues."""
ALL = 0xFFFFFFFF
CONF = """
unix { nodaemon gid root poll-sleep-usec 200 }
cpu { main-core 1 workers %d }
plugins { plugin default { disable } plugin af_packet_plugin.so { enable } }
socksvr { default }
"""


@contextmanager
def running(workers: int, folder: Path) -> Iterator[StartupVpp]:
    """Start a VPP with two ports."""
    with starting(CONF % workers, grow("xeon_d", folder / "tree")) as vpp:
        assert vpp.is_running, vpp.output
        with talking(str(vpp.socket_path)) as connection:
            for name, (rx_queues, tx_queues) in PORTS.items():
                device = name.removeprefix("host-")
                inside = ["nsenter", "-n", "-t", vpp.socket_path.parts[2], "ip", "link", "add", device]
                inside += ["type", "veth", "peer", "name", f"{device}-peer"]
                subprocess.run(inside, check=True)
                queues = f"num-rx-queues {rx_queues} num-tx-queues {tx_queues}"
                assert typed(connection, f"create host-interface name {device} {queues}")[0] == 0
        yield vpp


@contextmanager
def talking(path: str) -> Iterator[Connection]:
    connection = Connection(Channel(open_socket(path, 10.0), 10.0, path), None)
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def simulated(workers: int, path: str) -> Iterator[Connection]:
    """Start a simulated VPP with the same ports."""
    ports = [
        PhysicalPort(name=name, device_class="af-packet", rx_queues=rx_queues, tx_queues=tx_queues)
        for name, (rx_queues, tx_queues) in PORTS.items()
    ]
    vpp = SimulatedVpp(ports=ports, workers=workers, release=release())
    with SimulatorServer(vpp, path), talking(path) as connection:
        yield connection


def answered(connection: Connection, name: str, values: dict[str, Any], elements: Any = ()) -> int:
    replies = connection.ask([connection.request(name, values, elements=elements)[1]])
    ((retval,),) = connection.rows(replies, f"{name}_reply", "retval")
    return int(retval)


def typed(connection: Connection, line: str) -> tuple[int, str]:
    replies = connection.ask([connection.request("cli_inband", text=line)[1]])
    ((retval,),) = connection.rows(replies, "cli_inband_reply", "retval")
    (text,) = connection.texts(replies, "cli_inband_reply")
    return int(retval), text.decode()


def placed(connection: Connection) -> tuple[list[tuple[int, ...]], list[tuple[Any, ...]]]:
    """Return what VPP tells of its queues, in its order."""
    get, of_all = "sw_interface_tx_placement_get", {"sw_if_index": ALL}
    requests = [connection.request("sw_interface_rx_placement_dump", of_all)[1]]
    requests.append(connection.request(get, {**of_all, "cursor": 0})[1])
    replies = connection.ask(requests)
    paths = ("sw_if_index", "queue_id", "worker_id", "mode")
    received = [tuple(row) for row in connection.rows(replies, "sw_interface_rx_placement_details", *paths)]
    message = connection.message("sw_interface_tx_placement_details")
    sent: list[tuple[Any, ...]] = []
    pages = connection.pages(replies, get, of_all, "queues")
    for data in (data for page in pages for data in page.get(message.index, ())):
        threads = tuple(thread for (thread,) in message.items(data, ""))
        sent.append((*message.reader("sw_if_index", "queue_id", "shared")(data), threads))
    return received, sent


def operation(dice: random.Random) -> tuple[str, Any]:
    """Return something to ask of VPP, often what it refuses."""
    index, queue, thread = dice.choice([0, 1, 1, 2, 2, 9]), dice.choice([0, 0, 1, 2, 3]), dice.randrange(4)
    name = dice.choice([*PORTS, *PORTS, "nowhere"])
    threads = dice.sample(range(4), dice.randrange(4))
    listed = ",".join(map(str, sorted(threads)))
    values = {"sw_if_index": index, "queue_id": queue}
    return dice.choice(
        [
            ("sw_interface_set_rx_placement", ({**values, "worker_id": thread, "is_main": dice.randrange(2)}, ())),
            ("sw_interface_set_rx_mode", ({**values, "queue_id_valid": dice.randrange(2), "mode": thread + 1}, ())),
            (
                "sw_interface_set_tx_placement",
                ({**values, "array_size": len(threads)}, [{"": each} for each in threads]),
            ),
            ("cli", f"set interface rx-placement {name} queue {queue} {dice.choice(['main', f'worker {thread}', ''])}"),
            ("cli", f"set interface tx-queue {name} queue {queue} {f'threads {listed}' if listed else ''}"),
            ("cli", f"set interface rx-placement {name} worker {thread} sometimes"),
        ]
    )


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_simulator_and_vpp_place_and_refuse_alike(workers: int, tmp_path: Path) -> None:
    dice = random.Random(workers)
    with (
        running(workers, tmp_path) as vpp,
        talking(str(vpp.socket_path)) as real,
        simulated(workers, str(tmp_path / "sim.sock")) as other,
    ):
        assert placed(other) == placed(real)
        for number in range(250):
            name, what = operation(dice)
            if name == "cli":
                outcomes = [typed(each, what) for each in (other, real)]
            else:
                outcomes = [(answered(each, name, *what), "") for each in (other, real)]
            assert outcomes[0] == outcomes[1], f"operation {number}: {name} {what}"
            assert placed(other) == placed(real), f"operation {number}: {name} {what}"


FILE = """
interfaces:
  host-da:
    device-type: af-packet
    rx-placement: { 0: main, 2: worker1 }
    tx-placement: { 0: worker1, 1: [ main, worker0 ] }
  host-db: { device-type: af-packet, rx-placement: { 1: worker0 }, tx-placement: { 2: [ main, worker0, worker1 ] } }
"""


@pytest.mark.parametrize("is_typed", [False, True])
def test_a_file_places_queues_and_the_way_back_is_there(
    is_typed: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(FILE)
    state_dir = ["--state-dir", str(tmp_path / "journal")]
    with running(2, tmp_path) as vpp, talking(str(vpp.socket_path)) as connection:
        at = ["-c", str(config), "-a", str(vpp.socket_path)]
        before = placed(connection)
        if is_typed:
            assert main(["plan", *at, "-o", str(tmp_path / "script.vpp")]) == 0
            for line in (tmp_path / "script.vpp").read_text().splitlines():
                assert typed(connection, line) == (0, "")
        else:
            assert main(["apply", *at, *state_dir, "--yes"]) == 0
        received, sent = placed(connection)
        assert {row[:3] for row in received} >= {(1, 0, 0), (1, 2, 2), (2, 1, 1)}
        assert {(row[0], row[1], row[3]) for row in sent} >= {(1, 0, (2,)), (1, 1, (0, 1)), (2, 2, (0, 1, 2))}
        capsys.readouterr()
        assert main(["plan", *at]) == 0
        assert "set interface" not in capsys.readouterr().out
        assert main(["dump", "-a", str(vpp.socket_path)]) == 0
        assert "rx-placement: { 0: main }" in capsys.readouterr().out
        if not is_typed:
            assert main(["rollback", "-a", str(vpp.socket_path), *state_dir, "--yes"]) == 0
            assert placed(connection) == before


@pytest.mark.parametrize(
    ("workers", "said"), [(0, "VPP has no workers, and no worker1"), (1, "VPP has one worker, worker0, and no worker1")]
)
def test_a_worker_that_is_not_there_is_refused_before_the_first_change(
    workers: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(FILE)
    with running(workers, tmp_path) as vpp, talking(str(vpp.socket_path)) as connection:
        before = placed(connection)
        at = ["-c", str(config), "-a", str(vpp.socket_path), "--state-dir", str(tmp_path / "journal")]
        assert main(["apply", *at, "--yes"]) != 0
        assert said in capsys.readouterr().err
        assert placed(connection) == before
