"""A batch of requests to VPP: collects the replies, and bounds their memory and time.

A faulty VPP could go on answering for ever, slowly or all at once. The replies are not decoded here.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence

from vppcfg.vpp.channel import Channel
from vppcfg.wire.codec import HEAD
from vppcfg.wire.reading import Replies

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
