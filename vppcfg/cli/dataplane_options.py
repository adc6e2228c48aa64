"""The options that name a VPP, and the connection that they lead to."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vppcfg.app import places

if TYPE_CHECKING:
    from vppcfg.app.router import Router
    from vppcfg.app.target import Target


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
        "-a", "--api-socket", metavar="SOCKET", default=places.SOCKET, help="VPP's API socket (default: %(default)s)"
    )


def target_of(args: argparse.Namespace) -> Target:
    """Return the VPP that the options name, and where its journal is."""
    from vppcfg.app.target import Target

    given = {name: value for name in ("state_dir",) if (value := getattr(args, name, None)) is not None}
    return Target(api_socket=args.api_socket, json_dir=getattr(args, "vpp_json_dir", None), **given)


def connect(args: argparse.Namespace) -> Router:
    """Return the VPP that the options name, with the Linux around it. Raise DataplaneError when there is none."""
    return target_of(args).connect()
