"""Changes of network devices in the namespace that the calling thread is in, through pyroute2."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from vppcfg.errors import LinuxError
from vppcfg.linux.refusal import refusal

_MISSING = "install it: `pip install pyroute2`, or `apt-get install python3-pyroute2` on Debian and Ubuntu"


class LinkChanges:
    """Requests to change devices, as a context; pyroute2 is imported and its socket opened with the first of them."""

    def __init__(self) -> None:
        self._route: Any = None

    def __enter__(self) -> LinkChanges:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._route is not None:
            self._route.close()

    def request(self, what: str, command: str, **attributes: object) -> None:
        """Have the kernel do `command` (add, set) to a device; `what` says it in an error. Raise LinuxError."""
        try:
            from pyroute2 import IPRoute, NetlinkError
        except ImportError as error:
            raise LinuxError(f"Python's package pyroute2 is missing, and is needed to {what}", _MISSING) from error
        try:
            if self._route is None:
                self._route = IPRoute(ext_ack=True)
            self._route.link(command, **attributes)
        except NetlinkError as error:
            raise refusal(what, error.code, str(error.args[-1])) from error
        except OSError as error:
            raise refusal(what, error.errno or 0, str(error)) from error
