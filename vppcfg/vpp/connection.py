"""A client's session with one VPP: it begins, sends requests and sorts replies by message, and closes the session.

It begins and ends a session, and has the messages of this VPP. What is asked, and why, is decided elsewhere.
"""

from __future__ import annotations

import os
import struct
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from vppcfg.errors import DataplaneError
from vppcfg.operations.request import Value
from vppcfg.vpp import definitions
from vppcfg.vpp.channel import Channel
from vppcfg.vpp.definitions import Definitions
from vppcfg.vpp.layout import compile_message
from vppcfg.wire.codec import HEAD, Message
from vppcfg.wire.reading import OTHER_DEFINITIONS, Replies, malformed
from vppcfg.wire.reading import text_of as text_of
from vppcfg.wire.survey import Survey

_MOST_BYTES = 128 << 20
"""What is kept of one round: that for 100,000 interfaces takes 60 MB."""
_OVERHEAD_BYTES = 64
"""What a message takes beside its own length."""
_EACH_S = 0.001
"""What a request, or an answer that is kept, adds to the time that a round may take; VPP needs a hundredth of that."""


class Batch:
    """Requests that were sent together, and the replies to them so far."""

    def __init__(self, channel: Channel, requests: int, is_wanted: Callable[[bytes], bool] | None = None) -> None:
        """Begin to wait for the answers to so many requests; messages that are not wanted take time, and no memory."""
        self._is_wanted = is_wanted
        self._channel = channel
        self._deadline = time.monotonic() + channel.patience_s + requests * _EACH_S
        self._replies: defaultdict[int, list[bytes]] = defaultdict(list)
        self._bytes = 0

    @property
    def replies(self) -> Replies:
        """Return the replies so far, by message id."""
        return dict(self._replies)

    def keep(self, messages: Sequence[bytes]) -> None:
        """Keep messages that came together. Raise DataplaneError when there are more than any VPP sends."""
        for data in messages if self._is_wanted is None else filter(self._is_wanted, messages):
            self._bytes += len(data) + _OVERHEAD_BYTES
            if self._bytes > _MOST_BYTES:
                raise self._channel.too_much(f"more than {_MOST_BYTES >> 20} MB in answer to one round of questions")
            self._replies[HEAD.unpack_from(data)[0]].append(data)
        self._deadline += len(messages) * _EACH_S

    def check_time(self) -> None:
        """Raise DataplaneError when the time is over."""
        if time.monotonic() > self._deadline:
            raise self._channel.too_much("answers without end")


CLIENT_NAME = "vppcfg"
_SOCKCLNT_CREATE = 15
_SOCKCLNT_CREATE_REPLY = 16
"""Message ids that are the same in every VPP, since a client has no table yet (vlibmemory/memclnt.api, in order)."""
_ID = struct.Struct(">H")
"""What every message begins with."""
_GOODBYE_S = 2.0
_MISSING = "it is too old for that, or runs without the plugin that has it"

_MORE = -165
"""VNET_API_ERROR_EAGAIN: the reply has the place to ask from again (vnet/error.h)."""


class Connection:
    """A registered client of one VPP."""

    def __init__(self, channel: Channel, json_dir: str | None, known: Definitions | None = None) -> None:
        """Say hello on `channel` and learn this VPP's messages; with an error, the channel is closed.

        Definitions come from files in `json_dir`, in $VPP_API_DIR or of VPP's package, else from VPP itself (24.06 and
        later). A VPP of which the files, or `known`, have the messages is not asked, since it holds its workers for
        milliseconds while it answers; messages of plugins that it lacks do not count. Raise DataplaneError.
        """
        self._channel = channel
        self._is_open = True
        self._client: int | None = None
        self._context = 0
        self._table: dict[str, int] = {}
        self._offered: frozenset[str] = frozenset()
        self._names: dict[int, str] = {}
        self._messages: dict[str, Message] = {}
        self._event_heads: tuple[bytes, ...] = ()
        self._has_event = False
        self._secrets: dict[str, bytes] = {}
        self.survey = Survey(is_whole=True)
        """What may be asked in the present reading: everything, unless its user sets another one."""
        try:
            self._bootstrap = definitions.read_bundled()
            self._definitions = self._bootstrap
            self._open_session()
            is_known = known is not None and self._are_of_this_vpp(known)
            self._definitions = known if known and is_known else self._learn_definitions(json_dir)
        except BaseException:
            self.close()
            raise

    def has(self, name: str) -> bool:
        """Return whether this VPP has the message `name`, in the version that its definitions describe."""
        definition = self._definitions.messages.get(name) or self._bootstrap.messages.get(name)
        return definition is not None and definition.key in self._table

    def offers(self, name: str) -> bool:
        """Return whether this VPP has the message `name` in any version: the part of VPP that has it is there."""
        return name in self._offered

    def name_of(self, data: bytes) -> str:
        """Return what VPP calls a message, '' for one that is not in its table."""
        return self._names.get(_ID.unpack_from(data)[0], "")

    def is_reply(self, number: int) -> bool:
        """Return whether a message ends the answer to a request, by its number; those before it are details."""
        return self._names.get(number, "").endswith("_reply")

    def message(self, name: str) -> Message:
        """Return the layout of the message `name` in this VPP. Raise DataplaneError when it lacks the message."""
        message = self._messages.get(name)
        if message is None:
            message = self._messages[name] = self._compile(name)
        return message

    def newest(self, names: Sequence[str]) -> str:
        """Return the first of the messages `names` that this VPP has, or the last when it has none."""
        return next((name for name in names if self.has(name)), names[-1])

    def has_field(self, message: str, path: str) -> bool:
        """Return whether this VPP's `message` has a value at `path`. Raise DataplaneError when it lacks the message."""
        return self.message(message).has(path)

    def keep_secrets(self, secrets: Mapping[str, bytes]) -> None:
        """Have secrets at hand, by the names that operations know them by."""
        self._secrets.update(secrets)

    def secret(self, name: str) -> bytes:
        """Return a secret by its name. Raise DataplaneError when it was not given."""
        try:
            return self._secrets[name]
        except KeyError:
            raise DataplaneError(f"the key of {name} is missing", "nothing was sent to VPP") from None

    def request(
        self,
        name: str,
        values: Mapping[str, Value] | None = None,
        text: str = "",
        elements: Sequence[Mapping[str, Value]] = (),
    ) -> tuple[int, bytes]:
        """Return a new request's context and its framed bytes: `values` by path, and `text` or `elements` at its end.

        Raise DataplaneError when this VPP lacks the message, and UnfitValueError, one too, when a value does not fit.
        """
        self._context += 1
        client = self._client if self._client is not None else 0
        return self._context, self.message(name).pack(client, self._context, values or {}, text, elements)

    def ask(self, requests: Sequence[bytes], is_wanted: Callable[[bytes], bool] | None = None) -> Replies:
        """Send all `requests` at once and return all of VPP's answers, or those that are wanted.

        VPP works in order, so that the answer to a ping behind them shows that all have been answered. Raise
        DataplaneError when VPP is silent, or sends more or for longer than any VPP does.
        """
        context, ping = self.request("control_ping")
        end = HEAD.pack(self.message("control_ping_reply").index, context)
        answers = Batch(self._channel, len(requests), is_wanted)
        self._channel.send(b"".join(requests) + ping)
        while True:
            messages = self.receive()
            for position, data in enumerate(messages):
                if data.startswith(end):
                    answers.keep(messages[:position])
                    return answers.replies
            answers.keep(messages)
            answers.check_time()

    def stream(self, request: bytes) -> Iterator[bytes]:
        """Send a request and yield VPP's answers as they come, however many there are.

        VPP keeps what is not taken in its own memory: whoever asks for a million rows takes them at once. Raise
        DataplaneError when VPP is silent.
        """
        context, ping = self.request("control_ping")
        end = HEAD.pack(self.message("control_ping_reply").index, context)
        self._channel.send(request + ping)
        while True:
            messages = self.receive()
            if messages and messages[-1].startswith(end):
                yield from messages[:-1]
                return
            yield from messages

    def rows(self, replies: Replies, name: str, *paths: str) -> list[tuple[Any, ...]]:
        """Return the values at `paths` of every message `name` among `replies`.

        Raise DataplaneError when one is shorter than its definition requires.
        """
        message = self.message(name)
        read = message.reader(*paths)
        try:
            return [read(data) for data in replies.get(message.index, ())]
        except struct.error as error:
            raise malformed(name) from error

    def values(self, data: bytes, name: str, *paths: str) -> tuple[Any, ...]:
        """Return the values at `paths` of one message `name`. Raise DataplaneError when it is shorter than they are."""
        try:
            return self.message(name).reader(*paths)(data)
        except struct.error as error:
            raise malformed(name) from error

    def lists(
        self, replies: Replies, name: str, heads: Sequence[str], *paths: str
    ) -> list[tuple[tuple[Any, ...], list[tuple[Any, ...]]]]:
        """Return the values at `heads` of every message `name` among `replies`, and its list: the values at `paths`.

        Raise DataplaneError when one is shorter than its definition requires.
        """
        message = self.message(name)
        read = message.reader(*heads)
        try:
            return [(read(data), list(message.items(data, *paths))) for data in replies.get(message.index, ())]
        except struct.error as error:
            raise malformed(name) from error

    def texts(self, replies: Replies, name: str) -> list[bytes]:
        """Return the string at the end of every message `name` among `replies`.

        Raise DataplaneError when one is shorter than its definition requires.
        """
        message = self.message(name)
        try:
            return [message.text(data) for data in replies.get(message.index, ())]
        except struct.error as error:
            raise malformed(name) from error

    def pages(self, replies: Replies, name: str, values: Mapping[str, Value], what: str) -> Iterator[Replies]:
        """Yield `replies`, which have the first page of an answer to `name`, and further ones until VPP has no more.

        The same `values` are sent each time, with the cursor that VPP gave. Raise DataplaneError when the pages, of
        `what`, do not end.
        """
        yield replies
        seen = {0}
        while (cursor := self._next_page(replies, name)) is not None:
            if cursor in seen:
                raise DataplaneError(f"VPP's list of {what} does not end", "does something change it all the time?")
            seen.add(cursor)
            replies = self.ask([self.request(name, {**values, "cursor": cursor})[1]])
            yield replies

    def _next_page(self, replies: Replies, name: str) -> int | None:
        answers = self.rows(replies, f"{name}_reply", "retval", "cursor")
        return next((int(cursor) for retval, cursor in answers if retval == _MORE), None)

    @property
    def patience_s(self) -> float:
        """Return how long VPP may take to answer something, whatever else it sends meanwhile."""
        return self._channel.patience_s

    def unanswered(self) -> DataplaneError:
        """Return the error for a VPP that has answered nothing for that long."""
        return self._channel.silent(self.patience_s)

    def send(self, requests: bytes) -> None:
        """Queue framed requests; they leave during `receive`."""
        self._channel.send(requests)

    def receive(self) -> list[bytes]:
        """Wait for messages, return those that answer something, and meanwhile send what is queued."""
        return self._without_events(self._channel.receive())

    def follow_interfaces(self) -> None:
        """Have VPP report when an interface appears, disappears, or goes up or down. Raise DataplaneError.

        Events come between replies (link_state_process, vnet/interface_api.c); `wait_for_event` has it. Where
        it has VRRP, there are events of virtual routers that become master or backup too.
        """
        values = {"enable_disable": 1, "pid": os.getpid()}
        events = ["sw_interface_event"]
        if self.offers("want_vrrp_vr_events"):
            events.append("vrrp_vr_event")
            self.ask([self.request("want_vrrp_vr_events", values)[1]])
        self._event_heads = tuple(_ID.pack(self.message(event).index) for event in events)
        replies = self.ask([self.request("want_interface_events", values)[1]])
        if self.rows(replies, "want_interface_events_reply", "retval") != [(0,)]:
            raise DataplaneError("VPP does not report its interfaces", "is it the API socket of a VPP?")

    def wait_for_event(self, seconds: float) -> bool:
        """Return whether VPP reported something since the last call, waiting at most `seconds` for it.

        Raise DataplaneError when VPP goes away.
        """
        if not self._has_event:
            self._without_events(self._channel.receive_within(seconds))
        has_event, self._has_event = self._has_event, False
        return has_event

    def _without_events(self, messages: list[bytes]) -> list[bytes]:
        """Return the messages that are no events, and remember whether there were any."""
        if not self._event_heads:
            return messages
        rest = [data for data in messages if not data.startswith(self._event_heads)]
        self._has_event |= len(rest) < len(messages)
        return rest

    def close(self) -> None:
        """Say goodbye, wait a moment for the answer, and close; safe to call twice, and whatever happened before.

        A client that just closes its socket can leak a descriptor in VPP (26.10).
        """
        if not self._is_open:
            return
        self._is_open = False
        try:
            if self._client is not None:
                self._close_session(self._client)
        except DataplaneError:
            pass  # VPP is gone, or closed its side before the answer left: nothing is left to be closed there
        finally:
            self._channel.close()

    def _open_session(self) -> None:
        create = compile_message(self._bootstrap, self._bootstrap.messages["sockclnt_create"], _SOCKCLNT_CREATE)
        reply = compile_message(
            self._bootstrap, self._bootstrap.messages["sockclnt_create_reply"], _SOCKCLNT_CREATE_REPLY
        )
        self._context += 1
        self._channel.send(create.pack(0, self._context, {"name": CLIENT_NAME}))
        data = self._channel.receive()[0]
        try:
            index, context, response, client = reply.reader("_vl_msg_id", "context", "response", "index")(data)
            if index != reply.index or context != self._context:
                raise malformed("sockclnt_create_reply")
            entries = [(number, text_of(name)) for number, name in reply.items(data, "index", "name")]
        except struct.error as error:
            raise malformed("sockclnt_create_reply") from error
        if response < 0:
            raise DataplaneError(f"VPP does not take more API clients ({response})", "see `vppctl show api clients`")
        self._client = client
        self._table = {name: number for number, name in entries}
        self._offered = frozenset(key.rpartition("_")[0] for key in self._table)
        self._names = {number: key.rpartition("_")[0] for key, number in self._table.items()}

    def _close_session(self, client: int) -> None:
        self._channel.abandon()
        self._channel.timeout_s = min(self._channel.timeout_s, _GOODBYE_S)
        reply = HEAD.pack(self.message("sockclnt_delete_reply").index, self._context + 1)
        self._channel.send(self.request("sockclnt_delete", {"index": client})[1])
        deadline = time.monotonic() + _GOODBYE_S
        while time.monotonic() < deadline:
            if any(data.startswith(reply) for data in self._channel.receive()):
                return

    def _learn_definitions(self, json_dir: str | None) -> Definitions:
        directory = definitions.find_directory(json_dir, self._channel.peer_pid)
        if not self.has("get_api_json"):
            if directory is None:
                raise definitions.missing_definitions()
            return definitions.read_directory(directory)
        if directory is not None:
            with suppress(DataplaneError):  # files that are damaged, or of a VPP that is not running yet
                found = definitions.read_directory(directory)
                if self._are_of_this_vpp(found):
                    return found
        replies = self.ask([self.request("get_api_json")[1]])
        for served in self.texts(replies, "get_api_json_reply"):
            if served:
                return definitions.parse_served(served)
        raise definitions.missing_definitions()

    def _are_of_this_vpp(self, known: Definitions) -> bool:
        """Return whether definitions have every message of this VPP that they name in the version that it has."""
        return all(each.key in self._table or not self.offers(each.name) for each in known.messages.values())

    def _compile(self, name: str) -> Message:
        definition = self._definitions.messages.get(name)
        source = self._definitions
        if definition is None or definition.key not in self._table:
            definition, source = self._bootstrap.messages.get(name, definition), self._bootstrap
        if definition is not None and definition.key in self._table:
            return compile_message(source, definition, self._table[definition.key])
        if self.offers(name):
            raise DataplaneError(f"the API definitions of {name} are not those of the running VPP", OTHER_DEFINITIONS)
        raise DataplaneError(f"the running VPP has no message {name}", _MISSING)
