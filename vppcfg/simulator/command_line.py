"""The command line of a simulated VPP: finds the commands in a text and runs them in turn, as vlib/cli.c does.

What follows a command's words is an `Input`, read the way vppinfra/unformat.c does: a piece that fits is taken, one
that does not is left alone.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from vppcfg.common.numbers import cpus_of, list_of_words
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import HwInterface, SwInterface, Tables

_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"\S+")
_MAC = re.compile(r"(?:[0-9a-fA-F]+(?::[0-9a-fA-F]+){5}|[0-9a-fA-F]+(?:\.[0-9a-fA-F]+){2})(?![^\s,])")
"""Six numbers of a byte each, or three of two bytes (vnet/ethernet/format.c)."""
_SHOWN = 30
"""Characters of the rest that VPP repeats in an error."""
_LAST_NUMBER = 0x7FFFFFFF
_MOST_DIGITS = 1000
"""Of a number whose value matters."""
_ALL_BITS = 0xFFFFFFFF
CHECKS_NUMBERS = ReleaseQuirk(
    span="26.10-", text="a number that does not fit is refused, rather than cut (568453fa0e1)"
)
_IPV4 = re.compile(r"0*\d{1,3}(?:\.0*\d{1,3}){3}")
T = TypeVar("T")


def _value(digits: str) -> int:
    return int(digits) if len(digits) <= _MOST_DIGITS else _ALL_BITS


def _ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Return an address, whose numbers VPP takes with leading zeros. Raise ValueError when it is none."""
    return ipaddress.ip_address(".".join(str(int(part)) for part in text.split(".")) if _IPV4.fullmatch(text) else text)


class Input:
    """Text with a position in it."""

    def __init__(self, text: str, *, checks_numbers: bool = True) -> None:
        """Begin at the start of `text`; a number that does not fit is no number, or cut to 32 bits."""
        self._text = text
        self._position = 0
        self._checks_numbers = checks_numbers

    @property
    def is_at_end(self) -> bool:
        """Return whether nothing but white space is left."""
        return not self._text[self._position :].strip()

    @property
    def shown(self) -> str:
        """Return the rest as VPP repeats it in an error (format_unformat_error)."""
        rest = self._text[self._position :]
        text = rest.rstrip() if len(rest) <= _SHOWN else rest[:_SHOWN]
        text = text.replace("\r", r"\r").replace("\n", r"\n").replace("\t", r"\t")
        return text + ("..." if len(rest) > _SHOWN else "")

    @property
    def next_word(self) -> str:
        """Return the next word without taking it, '' at the end."""
        match = _WORD.match(self._text, self._start())
        return match[0] if match else ""

    def skip_space(self) -> None:
        """Go to the next character that is no white space."""
        self._position = self._start()

    def take(self, *words: str) -> bool:
        """Take these words if they come next; the last one may be the start of a longer word."""
        position = self._position
        for word in words:
            self.skip_space()
            if not self._text.startswith(word, self._position):
                self._position = position
                return False
            self._position += len(word)
        self.skip_space()
        return True

    def take_word(self, word: str) -> bool:
        """Take this word if it comes next, whole."""
        match = _WORD.match(self._text, self._start())
        if match is None or match[0] != word:
            return False
        self._position = match.end()
        return True

    def number(self, last: int = _LAST_NUMBER) -> int | None:
        """Take a decimal number up to `last`."""
        match = _NUMBER.match(self._text, self._start())
        if match is None:
            return None
        value = _value(match[0])
        if self._checks_numbers and (value > last or len(match[0]) > _MOST_DIGITS):
            return None
        self._position = match.end()
        self.skip_space()
        return value & _ALL_BITS

    def string(self) -> str | None:
        """Take a word, or a text in braces without them."""
        start = self._start()
        if self._text.startswith("{", start):
            return self._braced(start)
        match = _WORD.match(self._text, start)
        if match is None:
            return None
        self._position = match.end()
        return match[0]

    def ids(self) -> frozenset[int]:
        """Take a list such as `1-3,5` or `1, 2` (unformat_bitmap_list); none without one."""
        start = self._start()
        text, count = list_of_words(self._text[start:].split())
        try:
            ids = frozenset(cpus_of(text))
        except ValueError:
            return frozenset()
        for _ in range(count):
            self.string()
        return ids

    def prefix(self) -> tuple[bool, int, int] | None:
        """Take an address with its length; return whether it is IPv6, its value and its length."""
        match = _WORD.match(self._text, self._start())
        address, slash, rest = match[0].partition("/") if match else ("", "", "")
        digits = _NUMBER.match(rest)
        if match is None or not slash or digits is None:
            return None
        try:
            value = _ip(address)
        except ValueError:
            return None
        self._position = match.start() + len(address) + 1 + digits.end()
        return value.version == 6, int(value), _value(digits[0])

    def interface(self, tables: Tables) -> SwInterface | None:
        """Take the name of an interface or sub-interface."""
        match = _WORD.match(self._text, self._start())
        row = tables.named(match[0]) if match else None
        if match is None or row is None or (self._checks_numbers and row.is_sub and row.sub_id > _LAST_NUMBER):
            return None
        self._position = match.end()
        self.skip_space()
        return row

    def port(self, tables: Tables) -> HwInterface | None:
        """Take the name of a port. The space behind it stays, unlike with the other names."""
        match = _WORD.match(self._text, self._start())
        index = tables.hw_by_name.get(match[0]) if match else None
        if match is None or index is None:
            return None
        self._position = match.end()
        return tables.hw[index]

    def after(self, word: str, read: Callable[[], T]) -> T | None:
        """Take a word and what `read` takes behind it, or neither."""
        position = self._position
        found = read() if self.take(word) else None
        if found is None:
            self._position = position
        return found

    def take_field(self, words: Mapping[str, str], read: Callable[[], Any], found: dict[str, Any]) -> bool:
        """Take one of some words with what `read` takes behind it, and keep that under the field of the word."""
        for word, field in words.items():
            if (value := self.after(word, read)) is not None:
                found[field] = value
                return True
        return False

    def number_after(self, word: str, last: int = _LAST_NUMBER) -> int | None:
        """Take a word and a number up to `last`, or neither."""
        return self.after(word, lambda: self.number(last))

    def mac_after(self, word: str) -> bytes | None:
        """Take a word and a MAC address, or neither."""
        return self.after(word, self._mac)

    def address(self) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
        """Take an address."""
        match = _WORD.match(self._text, self._start())
        try:
            address = _ip(match[0]) if match else None
        except ValueError:
            return None
        if match is not None:
            self._position = match.end()
        return address

    def address_after(self, word: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
        """Take a word and an address, or neither."""
        return self.after(word, self.address)

    def address4(self) -> ipaddress.IPv4Address | None:
        """Take an IPv4 address."""
        packed = self.packed(4)
        return None if packed is None else ipaddress.IPv4Address(packed)

    def packed(self, version: int | None = None) -> bytes | None:
        """Take an address, of this version if one is given, and return its bytes."""
        position = self._position
        address = self.address()
        if address is None or version not in {None, address.version}:
            self._position = position
            return None
        return address.packed

    def address4_after(self, word: str) -> ipaddress.IPv4Address | None:
        """Take a word and an IPv4 address, or neither."""
        return self.after(word, self.address4)

    def interface_after(self, tables: Tables, word: str) -> SwInterface | None:
        """Take a word and an interface, or neither."""
        return self.after(word, lambda: self.interface(tables))

    def choice_after(self, word: str, choices: Mapping[str, T]) -> T | None:
        """Take a word and the first of some others that fits, or neither."""
        return self.after(word, lambda: next((choices[choice] for choice in choices if self.take(choice)), None))

    def take_setting(self, word: str, values: dict[str, int]) -> bool:
        """Take a word and a number, and keep the number under the word."""
        number = self.number_after(word)
        if number is not None:
            values[word] = number
        return number is not None

    def range(self) -> tuple[int, int] | None:
        """Take a number, or two with a dash between them; return the first and the last."""
        first = self.number()
        if first is None:
            return None
        last = self.number() if self.take("-") else first
        return first & 0xFFFF, (first if last is None else last) & 0xFFFF

    def line(self) -> Input:
        """Take the rest of the line as an input of its own."""
        start = self._start()
        end = self._text.find("\n", start)
        self._position = len(self._text) if end < 0 else end + 1
        return Input(self._text[start : self._position], checks_numbers=self._checks_numbers)

    def line_with(self, missing: str) -> Input:
        """Take the rest of the line; raise RefusedError, with the words `missing`, when nothing is left."""
        line = self.line()
        if line.is_at_end:
            raise RefusedError(Retval.UNSPECIFIED, missing)
        return line

    def unknown(self, what: str = "unknown input") -> RefusedError:
        """Return VPP's refusal of what comes next."""
        return RefusedError(Retval.UNSPECIFIED, f"{what} `{self.shown}'")

    def unknown_word(self, what: str = "unknown input") -> RefusedError:
        """Return VPP's refusal of the next word, without the space before it."""
        self.skip_space()
        return self.unknown(what)

    def require_interface(self, tables: Tables, what: str = "unknown interface") -> SwInterface:
        """Take the name of an interface; raise RefusedError when there is none."""
        row = self.interface(tables)
        if row is None:
            raise self.unknown(what)
        return row

    def _mac(self) -> bytes | None:
        match = _MAC.match(self._text, self._position)
        mac = mac_in(match[0]) if match is not None else None
        if match is not None and mac is not None:
            self._position = match.end()
            self.skip_space()
        return mac

    def _start(self) -> int:
        position = self._position
        while position < len(self._text) and self._text[position].isspace():
            position += 1
        return position

    def _braced(self, start: int) -> str | None:
        depth = 0
        for position in range(start, len(self._text)):
            depth += {"{": 1, "}": -1}.get(self._text[position], 0)
            if depth == 0:
                self._position = position + 1
                return self._text[start + 1 : position]
        return None


def mac_in(text: str) -> bytes | None:
    """Return the bytes of a MAC address as VPP's prompt takes it, None for anything else."""
    if _MAC.fullmatch(text) is None:
        return None
    size = 1 if ":" in text else 2
    numbers = [int(each, 16) for each in text.replace(".", ":").split(":")]
    if any(number >= 1 << 8 * size for number in numbers):
        return None
    return b"".join(number.to_bytes(size) for number in numbers)


_LEAVES_WORDS = frozenset({"", "set acl-plugin"})
"""Where VPP takes words that it does not know for the next command; `set acl-plugin` is one (acl_set_aclplugin_fn)."""

Command = Callable[[Tables, Input], str | None]
"""Reads what follows its own words and returns what it prints, if anything; raises RefusedError with VPP's words."""


class CommandLine:
    """The CLI of one VPP."""

    def __init__(self, tables: Tables, commands: Mapping[str, Command]) -> None:
        """Have `commands`, by the words that they start with."""
        self._tables = tables
        self._commands = commands
        self._tree: dict[str, Any] = {}
        """The words that can come next, at every point of the way to a command."""
        for command in commands:
            branch = self._tree
            for word in command.split():
                branch = branch.setdefault(word, {})

    @property
    def commands(self) -> Collection[str]:
        """Return the words that the commands start with."""
        return self._commands.keys()

    def run(self, text: str) -> tuple[int, str]:
        """Run all commands in `text` and return VPP's code and what they print; the first refusal ends it."""
        rest = Input(text, checks_numbers=self._tables.release.has(CHECKS_NUMBERS))
        printed = []
        try:
            while True:
                printed.append(self._run_next(rest))
                if rest.is_at_end:
                    return 0, "".join(printed)
        except RefusedError as refusal:
            printed.append(f"{refusal.text}\n")
            return Retval.UNSPECIFIED, "".join(printed)

    def _run_next(self, rest: Input) -> str:
        if rest.take_word("comment"):
            if rest.string() is None:
                raise rest.unknown()
            return ""
        path = self._path(rest)
        rest.skip_space()
        if path not in self._commands:
            raise rest.unknown("unknown input" if path in _LEAVES_WORDS else f"{path}: unknown input")
        try:
            return self._commands[path](self._tables, rest) or ""
        except RefusedError as refusal:
            raise RefusedError(refusal.retval, f"{path}: {refusal.text}") from None

    def _path(self, rest: Input) -> str:
        """Take the words of the longest path that commands share with the input.

        The start of a word will do when only one word starts so.
        """
        taken: list[str] = []
        branch = self._tree
        while True:
            written = rest.next_word
            fitting = (
                [written] if written in branch else [word for word in branch if written and word.startswith(written)]
            )
            if len(fitting) != 1 or not rest.take_word(written):
                return " ".join(taken)
            taken.append(fitting[0])
            branch = branch[fitting[0]]
