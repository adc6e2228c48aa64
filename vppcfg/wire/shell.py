"""Runs CLI commands over the API, for what only VPP's CLI shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vppcfg.errors import DataplaneError
from vppcfg.wire.reading import Replies, VppReader

Shown = Mapping[str, tuple[int, str]]
"""VPP's return code and text by command."""


class Commands:
    """The requests for CLI commands, and which is which; the replies do not name it."""

    def __init__(self, connection: VppReader, lines: Sequence[str]) -> None:
        """Prepare one cli_inband for each of `lines`."""
        self._lines: dict[int, str] = {}
        self.requests: list[bytes] = []
        for line in lines:
            context, request = connection.request("cli_inband", text=on_one_line(line))
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


def on_one_line(line: str) -> str:
    """Return a command that may have names of VPP in it: what stands behind an end of line VPP runs as another one."""
    return line.replace("\n", " ")


def prefix_command(table_id: int, prefix: str) -> str:
    """Return the command that prints what a FIB table has for a prefix, below a line on who holds the table."""
    return f"show {'ip6' if ':' in prefix else 'ip'} fib table {table_id} {prefix}"


def header_command(table_id: int, *, is_ipv6: bool) -> str:
    """Return the command for that line and one prefix: a summary of IPv6 would walk the table."""
    return prefix_command(table_id, "::/0" if is_ipv6 else "0.0.0.0/0")


def show(connection: VppReader, line: str) -> tuple[int, str]:
    """Run one CLI command now, and return VPP's return code and text."""
    command = Commands(connection, [line])
    return command.read(connection, connection.ask(command.requests))[line]
