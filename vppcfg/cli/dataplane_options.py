"""The options that name a VPP, and the connection that they lead to."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vppcfg.vpp.live import LiveDataplane

DEFAULT_SOCKET = "/run/vpp/api.sock"


def add_dataplane_options(parser: argparse.ArgumentParser) -> None:
    """Add -a and -j."""
    parser.add_argument(
        "-a", "--api-socket", metavar="SOCKET", default=DEFAULT_SOCKET, help="VPP's API socket (default: %(default)s)"
    )
    parser.add_argument(
        "-j",
        "--vpp-json-dir",
        metavar="DIR",
        help="API definitions (*.api.json) of a VPP that does not serve them itself (default: the usual places)",
    )


def connect(args: argparse.Namespace) -> LiveDataplane:
    """Return the VPP that the options name. Raise DataplaneError when it cannot be reached."""
    from vppcfg.vpp.live import connect as connect_to

    return connect_to(args.api_socket, json_dir=args.vpp_json_dir)
