"""Limits the rate at which a device sends, by the kernel's token bucket filter (tc-tbf(8))."""

from __future__ import annotations

import subprocess

from vppcfg.errors import LinuxError
from vppcfg.linux.inside import command_inside
from vppcfg.linux.refusal import within

_BURST_S = 0.002
_HANDLE = "1:"
_USUAL_BURST_BYTES, _LEAST_BURST_BYTES = 10_000, 3_200
"""The least is what two frames of usual size take."""
_TIMEOUT_S = 30
"""Linux changes one thing at a time; another process may be removing a namespace with thousands of devices."""


def set_rate(
    netns: str,
    device: str,
    rate_bps: float,
    *,
    limit_bytes: int,
    overhead_bytes: int = 0,
    burst_bytes: int | None = None,
) -> None:
    """Let a device send at most `rate_bps`; what is more waits, up to `limit_bytes`, and is dropped beyond.

    A frame counts with `overhead_bytes` on top of its length without check sequence. When the kernel comes
    late it makes good for `burst_bytes`, by default some milliseconds; less costs rate on a busy machine. May be called
    again while the device sends. Raise LinuxError.
    """
    burst = max(burst_bytes or max(round(rate_bps / 8 * _BURST_S), _USUAL_BURST_BYTES), _LEAST_BURST_BYTES)
    shape = ["rate", f"{max(round(rate_bps), 8)}bit", "burst", str(burst), "limit", str(limit_bytes)]
    overhead = ["overhead", str(overhead_bytes)] if overhead_bytes else []
    _tc(netns, device, ["replace", "dev", device, "root", "handle", _HANDLE, "tbf", *shape, *overhead])


def limit_queue(netns: str, device: str, packets: int) -> None:
    """Limit how many packets, of whatever size, may wait on a device with a rate. Raise LinuxError."""
    _tc(netns, device, ["replace", "dev", device, "parent", f"{_HANDLE}1", "pfifo", "limit", str(packets)])


def remove_rate(netns: str, device: str) -> None:
    """Remove the limit that `set_rate` has set, if there is one. Raise LinuxError."""
    if "qdisc tbf" in _tc(netns, device, ["show", "dev", device, "root"]):
        _tc(netns, device, ["delete", "dev", device, "root"])


def _tc(netns: str, device: str, words: list[str]) -> str:
    what = f"shape what {device}{within(netns)} sends"
    try:
        done = subprocess.run(
            command_inside(netns, ["tc", "qdisc", *words]),
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT_S,
        )
    except FileNotFoundError as error:
        raise LinuxError(
            f"the program {error.filename} is missing, and is needed to {what}", "it is in iproute2"
        ) from None
    except subprocess.TimeoutExpired:
        raise LinuxError(f"Linux takes longer than {_TIMEOUT_S} seconds to {what}") from None
    if done.returncode:
        raise LinuxError(
            f"Linux refuses to {what}: {done.stderr.strip()}", "it needs root and the kernel's CONFIG_NET_SCH_TBF"
        )
    return done.stdout
