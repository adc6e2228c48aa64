"""sFlow: how VPP samples, and on which ports.

The ports are read from what `show sflow` prints: sflow_interface_details tells a hardware index, which no other message
maps to an interface (plugins/sflow/sflow.c).
"""

from __future__ import annotations

from vppcfg.model.state import SflowSettings
from vppcfg.plan import operations as op
from vppcfg.plan.request import Indexes, Messages, Request, Vocabulary
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.reading import Replies, malformed
from vppcfg.vpp.shell import Shown

_SHOW = "show sflow"
_PORT = "sflow enable "
_DEFAULTS = SflowSettings()


def _set_sflow(operation: op.SetSflow, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Put the sw_if_index where a hw_if_index is named: VPP reads it as that (plugins/sflow/sflow.c)."""
    values = {"hw_if_index": indexes.interface(operation.interface), "enable_disable": int(operation.is_on)}
    return Request("sflow_enable_disable", values)


def _set_sflow_sampling_rate(operation: op.SetSflowSamplingRate, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("sflow_sampling_rate_set", {"sampling_N": operation.sampling_rate})


def _set_sflow_polling_interval(operation: op.SetSflowPollingInterval, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("sflow_polling_interval_set", {"polling_S": operation.polling_interval_s})


def _set_sflow_header_bytes(operation: op.SetSflowHeaderBytes, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("sflow_header_bytes_set", {"header_B": operation.header_bytes})


MESSAGES: Messages = {
    op.SetSflow: _set_sflow,
    op.SetSflowSamplingRate: _set_sflow_sampling_rate,
    op.SetSflowPollingInterval: _set_sflow_polling_interval,
    op.SetSflowHeaderBytes: _set_sflow_header_bytes,
}


def is_present(connection: Connection) -> bool:
    """Return whether VPP runs the sflow plugin (from 25.02)."""
    return connection.offers("sflow_enable_disable")


def requests(connection: Connection) -> list[bytes]:
    """Return the requests for the settings."""
    if not is_present(connection):
        return []
    asked = ("sflow_sampling_rate_get", "sflow_polling_interval_get", "sflow_header_bytes_get")
    return [connection.request(name)[1] for name in asked]


def commands(connection: Connection) -> list[str]:
    """Return the command that shows the ports."""
    return [_SHOW] if is_present(connection) else []


def read_settings(connection: Connection, replies: Replies) -> SflowSettings:
    """Return the settings; VPP's own defaults without the plugin. Raise DataplaneError when VPP does not tell."""
    if not is_present(connection):
        return _DEFAULTS
    return SflowSettings(
        sampling_rate=_told(connection, replies, "sflow_sampling_rate_get_reply", "sampling_N"),
        polling_interval_s=_told(connection, replies, "sflow_polling_interval_get_reply", "polling_S"),
        header_bytes=_told(connection, replies, "sflow_header_bytes_get_reply", "header_B"),
    )


def _told(connection: Connection, replies: Replies, name: str, path: str) -> int:
    """Return the value at `path` of the one reply `name`. Raise DataplaneError when there is none."""
    for (value,) in connection.rows(replies, name, path):
        return int(value)
    raise malformed(name)


def read_ports(shown: Shown) -> frozenset[str]:
    """Return the names of the ports whose packets are sampled."""
    _, text = shown.get(_SHOW, (0, ""))
    return frozenset(line.removeprefix(_PORT).strip() for line in text.splitlines() if line.startswith(_PORT))
