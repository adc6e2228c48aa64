"""VPP's return codes (vnet/error.h) that the simulator answers with, and the exception that carries a refusal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import TypeVar

T = TypeVar("T")


class Retval(IntEnum):
    """VPP's number for each refusal."""

    DONE_ALREADY = 1
    UNSPECIFIED = -1
    INVALID_SW_IF_INDEX = -2
    NO_SUCH_FIB = -3
    NO_SUCH_ENTRY = -6
    INVALID_QUEUE = -125
    INVALID_VALUE = -7
    INVALID_VALUE_2 = -8
    UNIMPLEMENTED = -9
    INVALID_SW_IF_INDEX_2 = -10
    SYSCALL_ERROR_1 = -11
    SYSCALL_ERROR_2 = -12
    SYSCALL_ERROR_3 = -13
    FEATURE_DISABLED = -30
    INVALID_REGISTRATION = -31
    NO_PATHS_IN_ROUTE = -52
    NO_MATCHING_INTERFACE = -54
    INVALID_VLAN = -55
    VLAN_ALREADY_EXISTS = -56
    INVALID_SRC_ADDRESS = -57
    INVALID_DST_ADDRESS = -58
    ADDRESS_LENGTH_MISMATCH = -59
    ADDRESS_NOT_FOUND_FOR_INTERFACE = -60
    ADDRESS_NOT_DELETABLE = -61
    IP6_NOT_ENABLED = -62
    NO_SUCH_NODE = -63
    NO_SUCH_TABLE = -65
    INVALID_MEMORY_SIZE = -70
    CLASSIFY_TABLE_NOT_FOUND = -91
    SUBIF_ALREADY_EXISTS = -68
    INVALID_INTERFACE = -71
    INVALID_VLAN_TAG_COUNT = -72
    INVALID_ARGUMENT = -73
    UNEXPECTED_INTF_STATE = -74
    TUNNEL_EXIST = -75
    INVALID_DECAP_NEXT = -76
    IF_ALREADY_EXISTS = -79
    VALUE_EXIST = -81
    SAME_SRC_DST = -82
    INVALID_ADDRESS_FAMILY = -97
    INVALID_SUB_SW_IF_INDEX = -98
    CANNOT_ENABLE_DISABLE_FEATURE = -100
    BFD_EEXIST = -101
    BFD_ENOENT = -102
    ADDRESS_IN_USE = -105
    ADDRESS_FOUND_FOR_INTERFACE = -114
    ENTRY_ALREADY_EXISTS = -116
    BD_ALREADY_EXISTS = -119
    BD_IN_USE = -120
    BD_NOT_MODIFIABLE = -121
    BD_ID_EXCEED_MAX = -122
    UNSUPPORTED = -126
    DUPLICATE_IF_ADDRESS = -127
    ACL_IN_USE_INBOUND = -142
    ACL_IN_USE_OUTBOUND = -143
    INIT_FAILED = -144
    NETLINK_ERROR = -145
    INSTANCE_IN_USE = -147
    INVALID_SESSION_ID = -148
    ACL_IN_USE_BY_LOOKUP_CONTEXT = -149
    BD_ALREADY_HAS_BVI = -152
    INVALID_PROTOCOL = -153
    RSRC_IN_USE = -155
    LIMIT_EXCEEDED = -162
    EAGAIN = -165
    BUSY = -167
    BUG = -168
    FEATURE_ALREADY_DISABLED = -169
    FEATURE_ALREADY_ENABLED = -170
    INVALID_PREFIX_LENGTH = -171


class RefusedError(Exception):
    """A refusal by VPP: its return code for the API, and the words that the CLI prints."""

    def __init__(self, retval: Retval, text: str = "") -> None:
        super().__init__(text)
        self.retval = retval
        self.text = text


def required(value: T | None, text: str = "", retval: Retval = Retval.UNSPECIFIED) -> T:
    """Return a value; raise RefusedError when there is none."""
    if value is None:
        raise RefusedError(retval, text)
    return value


@contextmanager
def refused_as(text: str) -> Iterator[None]:
    """Have what is refused in this context refused in the words of the prompt."""
    try:
        yield
    except RefusedError as refusal:
        raise RefusedError(Retval.UNSPECIFIED, text) from refusal


class DiedError(Exception):
    """The simulated VPP has died, as its faults asked for or as a real one would."""
