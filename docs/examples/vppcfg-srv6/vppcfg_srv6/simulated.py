"""How VPP behaves with SRv6 local SIDs (vnet/srv6/sr_localsid.c), for `vppcfg sim` and tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.wire import Outgoing, Values

_ALREADY_THERE, _NOT_THERE = Retval(-1), Retval(-2)
"""What sr_cli_localsid returns, whatever these numbers mean elsewhere."""


@dataclass(slots=True, kw_only=True)
class SrMain:
    """The fields of each SID, by its address."""

    sids: dict[bytes, dict[str, Any]] = field(default_factory=dict)


def _answer(call: Call, values: Values) -> None:
    sids, sid = call.tables.part(SrMain).sids, values["localsid"]
    if values["is_del"]:
        if sids.pop(sid, None) is None:
            raise RefusedError(_NOT_THERE)
    elif sid in sids:
        raise RefusedError(_ALREADY_THERE)
    else:
        sids[sid] = {"addr": sid, **{name: values[name] for name in ("end_psp", "behavior", "fib_table")}}


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    for sid in call.tables.part(SrMain).sids.values():
        yield call.details(sid)


KIND = Kind(changes={"sr_localsid_add_del": _answer}, queries={"sr_localsids_dump": _dump})
