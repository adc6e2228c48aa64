"""Runs CLI commands over the API, for what only VPP's CLI shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vppcfg.errors import DataplaneError
from vppcfg.vpp.reading import Replies, VppReader

Shown = Mapping[str, tuple[int, str]]
"""VPP's return code and text by command."""


class Commands:
    """The requests for CLI commands, and which is which; the replies do not name it."""

    def __init__(self, connection: VppReader, lines: Sequence[str]) -> None:
        """Prepare one cli_inband for each of `lines`."""
        self._lines: dict[int, str] = {}
        self.requests: list[bytes] = []
        for line in lines:
            context, request = connection.request("cli_inband", text=line)
            self._lines[context] = line
            self.requests.append(request)

    def read(self, connection: VppReader, replies: Replies) -> Shown:
        """Return what every command printed. Raise DataplaneError when one was not answered."""
        if not self._lines:
            return {}
        texts = connection.texts(replies, "cli_inband_reply")
        codes = connection.rows(replies, "cli_inband_reply", "context", "retval")
        shown = {
            self._lines[context]: (retval, text.decode(errors="replace"))
            for text, (context, retval) in zip(texts, codes, strict=True)
            if context in self._lines
        }
        for line in self._lines.values():
            if line not in shown:
                raise DataplaneError(f"VPP did not run `{line}`", "does this VPP's API lack cli_inband?")
        return shown


def show(connection: VppReader, line: str) -> tuple[int, str]:
    """Run one CLI command now, and return VPP's return code and text."""
    command = Commands(connection, [line])
    return command.read(connection, connection.ask(command.requests))[line]
