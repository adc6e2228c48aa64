"""Changes in the namespace that the calling thread is in, through pyroute2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vppcfg.errors import LinuxError
from vppcfg.linux.refusal import refusal, refusal_of

_MISSING = "install it: `pip install pyroute2`, or `apt-get install python3-pyroute2` on Debian and Ubuntu"


def change_link(what: str, command: str, **attributes: object) -> None:
    """Have the kernel do `command` (add, set) to a device with pyroute2's `attributes`; `what` says it in an error.

    Raise LinuxError.
    """
    with netlink(what) as route:
        route.link(command, **attributes)


@contextmanager
def netlink(what: str) -> Iterator[Any]:
    """Give pyroute2's IPRoute for the work that `what` names (words that follow "to"). Raise LinuxError."""
    try:
        from pyroute2 import IPRoute, NetlinkError
    except ImportError as error:
        raise LinuxError(f"Python's package pyroute2 is missing, and is needed to {what}", _MISSING) from error
    try:
        with IPRoute(ext_ack=True) as route:
            yield route
    except NetlinkError as error:
        raise refusal(what, error.code, str(error.args[-1])) from error
    except OSError as error:
        raise refusal_of(what, error) from error
