"""Keeps what VPP has answered, so that a second reading asks only for what may be different by then."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from vppcfg.vpp.connection import Connection
from vppcfg.wire.codec import FRAME, HEAD
from vppcfg.wire.reading import Replies
from vppcfg.wire.shell import Commands, Shown

T = TypeVar("T")
_CONTEXT = slice(FRAME.size + 6, FRAME.size + 10)
"""Of a framed request, behind its message id and the client's index."""


class Answers:
    """What VPP has answered over one connection, by who has asked: a kind of objects, or a part of interfaces."""

    def __init__(self) -> None:
        self._replies: dict[Hashable, dict[int, list[bytes]]] = {}
        self._asked: dict[Hashable, dict[bytes, dict[int, list[bytes]]]] = {}
        """The same by what was asked, a request without its context."""
        self._shown: dict[Hashable, Shown] = {}
        self._found: dict[Hashable, Any] = {}
        self._of_interfaces: dict[Hashable, dict[int, Any]] = {}
        self._names: dict[int, str] = {}

    def forget(self, keys: Iterable[Hashable]) -> None:
        """Have everything asked again that `keys` have asked."""
        for key in keys:
            for answers in (self._replies, self._asked, self._shown, self._found, self._of_interfaces):
                answers.pop(key, None)

    def forget_interfaces(self, names: Collection[str]) -> None:
        """Have everything asked again of interfaces."""
        for index in [index for index, name in self._names.items() if name in names]:
            del self._names[index]

    def meet(self, names: Mapping[int, str]) -> None:
        """Learn which interfaces there are, and have everything asked of those that are new."""
        same = dict(self._names.items() & names.items())
        for found in self._of_interfaces.values():
            for index in found.keys() - same.keys():
                del found[index]
        self._names = dict(names)

    def forget_what_there_is(self, is_setting: Callable[[int], bool]) -> list[Hashable]:
        """Have everything asked again of which VPP has had any, but for settings; return the keys that asked it.

        `is_setting` tells by its number whether a message, without others to the same request, is no sign of anything.
        """
        keys = [key for key, replies in self._replies.items() if not all(map(is_setting, replies))]
        self.forget(keys)
        self._found.clear()
        return keys

    def ask(self, connection: Connection, asked: Mapping[Hashable, Callable[[], Sequence[bytes]]]) -> Replies:
        """Return the replies to what each key asks; VPP is asked only by those who have not asked before."""
        requests = {key: ask() for key, ask in asked.items() if key not in self._replies}
        sent = [(key, request) for key, each in requests.items() for request in each]
        self._replies.update({key: {} for key in requests})
        self._asked.update({key: {_question(request): {} for request in each} for key, each in requests.items()})
        by_context = {request[_CONTEXT]: (key, request) for key, request in sent}
        by_name = {connection.name_of(request[FRAME.size :]): (key, request) for key, request in sent}
        for index, messages in (connection.ask([request for _, request in sent]) if sent else {}).items():
            # a few of VPP's messages do not have the context of their request
            usual = by_name.get(_request_of(connection.name_of(messages[0])))
            for data in messages:
                key, request = by_context.get(data[2 : HEAD.size], usual) or sent[0]
                self._replies[key].setdefault(index, []).append(data)
                self._asked[key][_question(request)].setdefault(index, []).append(data)
        return _merged(self._replies[key] for key in asked)

    def ask_others(self, connection: Connection, requests: Sequence[bytes]) -> Replies:
        """Return the replies to requests; VPP is asked what nobody has asked. Contexts may be those of others."""
        known = {question: replies for each in self._asked.values() for question, replies in each.items()}
        found = [known[question] for request in requests if (question := _question(request)) in known]
        new = [request for request in requests if _question(request) not in known]
        return _merged((*found, connection.ask(new) if new else {}))

    def show(self, connection: Connection, asked: Mapping[Hashable, Callable[[], Sequence[str]]]) -> Shown:
        """Return what the commands of each key print, likewise."""
        lines = {key: ask() for key, ask in asked.items() if key not in self._shown}
        commands = Commands(connection, [line for each in lines.values() for line in each])
        shown = commands.read(connection, connection.ask(commands.requests)) if commands.requests else {}
        self._shown.update({key: {line: shown[line] for line in each} for key, each in lines.items()})
        return {line: text for key in asked for line, text in self._shown[key].items()}

    def find(self, key: Hashable, find: Callable[[], T]) -> T:
        """Return what `find` finds, or has found when it was called for this key before."""
        if key not in self._found:
            self._found[key] = find()
        found: T = self._found[key]
        return found

    def of_interfaces(
        self, key: Hashable, indexes: Sequence[int], find: Callable[[Sequence[int]], Mapping[int, T]]
    ) -> dict[int, T]:
        """Return what `find` finds of the interfaces at `indexes`; it is called for those that it was not called for.

        What it does not return counts as asked, too.
        """
        known = self._of_interfaces.setdefault(key, {})
        new = [index for index in indexes if index not in known]
        found = find(new) if new else {}
        known.update({index: found.get(index) for index in new})
        return {index: value for index in indexes if (value := known[index]) is not None}


def _merged(parts: Iterable[Replies]) -> Replies:
    """Return the replies of all parts, those of a part in their order."""
    merged: dict[int, list[bytes]] = {}
    for replies in parts:
        for index, messages in replies.items():
            merged.setdefault(index, []).extend(messages)
    return merged


def _question(request: bytes) -> bytes:
    """Return what a framed request asks, whoever asks it."""
    return request[FRAME.size : _CONTEXT.start] + request[_CONTEXT.stop :]


def _request_of(reply: str) -> str:
    """Return the name of the request that a message answers, as VPP calls most of them."""
    return f"{reply.removesuffix('_details')}_dump" if reply.endswith("_details") else reply.removesuffix("_reply")
