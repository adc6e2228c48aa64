"""Handlers that take and return values by position, as those do that have no module in `kinds` yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from vppcfg.record import record
from vppcfg.simulator.kind import Call as Call
from vppcfg.simulator.wire import Value
from vppcfg.simulator.wire import cstring as cstring
from vppcfg.simulator.wire import fixed as fixed
from vppcfg.simulator.wire import to_bytes as to_bytes

Outgoing = tuple[str, Sequence[Value]]


@record
class Handler:
    """How a request is answered."""

    answer: Callable[..., Iterable[Any]]
    is_change: bool = False


Handlers = Mapping[str, Handler]
