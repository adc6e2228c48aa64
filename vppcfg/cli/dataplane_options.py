"""The options that name a VPP, and the connection that they lead to."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vppcfg.app.router import Router
    from vppcfg.dataplane import Follower
    from vppcfg.linux.host import LinuxHost

DEFAULT_SOCKET = "/run/vpp/api.sock"
TIMEOUT_S = 10.0
_NAMES_OF_VPP = ("vpp_main", "vpp")


def add_dataplane_options(parser: argparse.ArgumentParser) -> None:
    """Add -a and -j."""
    add_socket_option(parser)
    parser.add_argument(
        "-j",
        "--vpp-json-dir",
        metavar="DIR",
        help="API definitions (*.api.json) of a VPP that does not serve them itself (default: the usual places)",
    )


def add_socket_option(parser: argparse.ArgumentParser) -> None:
    """Add -a, which names a VPP, also to commands that do not speak to it."""
    parser.add_argument(
        "-a", "--api-socket", metavar="SOCKET", default=DEFAULT_SOCKET, help="VPP's API socket (default: %(default)s)"
    )


def connect(args: argparse.Namespace) -> Router:
    """Return the VPP that the options name, with the Linux around it. Raise DataplaneError when there is none."""
    return connect_following(args)[0]


def connect_following(args: argparse.Namespace) -> tuple[Router, Follower]:
    """Return what `connect` does, and what tells when something happens to the interfaces of that VPP."""
    from vppcfg.app.router import Router
    from vppcfg.vpp.live import LiveDataplane
    from vppcfg.vpp.peer import pid_of_peer
    from vppcfg.vpp.unixsocket import open_socket

    path = args.api_socket
    sock = open_socket(path, TIMEOUT_S)
    linux = _linux_around(pid_of_peer(sock))
    vpp = LiveDataplane.over(sock, json_dir=args.vpp_json_dir, timeout_s=TIMEOUT_S, peer=f"VPP at {path}")
    return Router(vpp, linux), vpp


def _linux_around(pid: int | None) -> LinuxHost | None:
    """Return the Linux around a VPP process on this machine; None for a simulated one, which has none."""
    from pathlib import Path

    from vppcfg.linux.host import LinuxHost

    try:
        name = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return LinuxHost(pid) if name in _NAMES_OF_VPP else None
