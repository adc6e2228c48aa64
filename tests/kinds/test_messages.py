"""What operations send is made of messages and fields that each release has, or are known to come later."""

import socket
from pathlib import Path

import pytest

from tests.kinds.operations import sampled_operations
from vppcfg.errors import DataplaneError
from vppcfg.simulator.api import write_api_dir
from vppcfg.simulator.releases import RELEASES
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.channel import Channel
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.perform import AnyIndex

SINCE = {
    **dict.fromkeys(["CreateGre", "DeleteGre", "SetSflowDirection", "SetSflowDrops"], "25.10"),
    **dict.fromkeys(["AddWireguardPeer", "EnableOsiProtocol"], "26.06"),
    **dict.fromkeys(["SetSflow", "SetSflowHeaderBytes", "SetSflowPollingInterval", "SetSflowSamplingRate"], "25.02"),
}
"""What some of these operations need; whoever asks an older release for it is told so (`is_since`)."""


@pytest.mark.parametrize("release", [release.name for release in RELEASES])
def test_every_field_that_is_sent_is_one_of_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: str
) -> None:
    write_api_dir(tmp_path / "api", release)
    monkeypatch.setattr(Connection, "secret", lambda self, name: bytes(32))
    ours, theirs = socket.socketpair()
    lacking: dict[str, str] = {}
    with ours, SimulatorServer(SimulatedVpp(release=release)) as server:
        server.add_client(theirs)
        connection = Connection(Channel(ours, 10.0, "VPP"), str(tmp_path / "api"))
        for operation in sampled_operations():
            try:
                if operation.needs_vpp:
                    request = operation.request(AnyIndex(), connection)
                    connection.request(request.message, request.values, request.text, request.elements)
            except DataplaneError as error:
                lacking[type(operation).__name__] = str(error)
    assert lacking.keys() == {name for name, since in SINCE.items() if release < since}, lacking
