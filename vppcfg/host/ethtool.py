"""How many queues a Linux interface can have, asked of its driver as `ethtool -l` does. It sets nothing."""

from __future__ import annotations

import array
import fcntl
import socket
import struct

_SIOCETHTOOL = 0x8946
_ETHTOOL_GCHANNELS = 0x3C
_IFREQ = struct.Struct("@16sP")
_CHANNELS = struct.Struct("@9I")
"""struct ethtool_channels: the command, then the maxima of rx, tx, other and combined, then the counts."""


def max_queues(interface: str) -> tuple[int, int] | None:
    """Return the most RX and TX queues of an interface of this machine, None when its driver does not tell."""
    buffer = array.array("B", _CHANNELS.pack(_ETHTOOL_GCHANNELS, *[0] * 8))
    request = _IFREQ.pack(interface.encode()[:15], buffer.buffer_info()[0])
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            fcntl.ioctl(sock, _SIOCETHTOOL, request)
    except OSError:
        return None
    _, rx, tx, _, combined, *_ = _CHANNELS.unpack(buffer)
    return (rx + combined, tx + combined) if rx + tx + combined else None
