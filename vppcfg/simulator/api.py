"""The binary API of one release: the definitions of all kinds of objects, the ids of messages, how they are packed."""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

from vppcfg.errors import UsageError
from vppcfg.record import record
from vppcfg.simulator.api_files import ApiFile, document, parse, text_of
from vppcfg.simulator.codec import Codec
from vppcfg.simulator.kind import Kind
from vppcfg.simulator.kinds import KINDS, PLUGINS
from vppcfg.simulator.kinds.session import MESSAGE_IDS
from vppcfg.simulator.releases import Release, release_named

_PATH_TYPES = (
    "FIB_API_PATH_TYPE_NORMAL=0 FIB_API_PATH_TYPE_LOCAL=1 FIB_API_PATH_TYPE_DROP=2 FIB_API_PATH_TYPE_UDP_ENCAP=3 "
    "FIB_API_PATH_TYPE_BIER_IMP=4 FIB_API_PATH_TYPE_ICMP_UNREACH=5 FIB_API_PATH_TYPE_ICMP_PROHIBIT=6 "
    "FIB_API_PATH_TYPE_SOURCE_LOOKUP=7 FIB_API_PATH_TYPE_DVR=8 FIB_API_PATH_TYPE_INTERFACE_RX=9 "
    "FIB_API_PATH_TYPE_CLASSIFY=10"
)
SHARED_TYPES = {
    "interface_index": "alias interface_index u32",
    "mac_address": "alias mac_address u8[6]",
    "fib_path": f"""
struct fib_mpls_label: u8 is_uniform, u32 label, u8 ttl, u8 exp
struct fib_path_nh: address_union address, u32 via_label, u32 obj_id, u32 classify_table_index
enum fib_path_type u32 {_PATH_TYPES}
enum fib_path_flags u32 FIB_API_PATH_FLAG_NONE=0 FIB_API_PATH_FLAG_RESOLVE_VIA_ATTACHED=1 \
FIB_API_PATH_FLAG_RESOLVE_VIA_HOST=2 FIB_API_PATH_FLAG_POP_PW_CW=4
enum fib_path_nh_proto u32 FIB_API_PATH_NH_PROTO_IP4=0 FIB_API_PATH_NH_PROTO_IP6=1 FIB_API_PATH_NH_PROTO_MPLS=2 \
FIB_API_PATH_NH_PROTO_ETHERNET=3 FIB_API_PATH_NH_PROTO_BIER=4
struct fib_path: u32 sw_if_index, u32 table_id, u32 rpf_id, u8 weight, u8 preference, fib_path_type type, \
fib_path_flags flags, fib_path_nh_proto proto, fib_path_nh nh, u8 n_labels, fib_mpls_label label_stack[16]
""",
    "prefix": """
alias ip4_address u8[4]
alias ip6_address u8[16]
alias address_with_prefix prefix
enum address_family u8 ADDRESS_IP4=0 ADDRESS_IP6=1
union address_union: ip4_address ip4 ADDRESS_IP4, ip6_address ip6 ADDRESS_IP6
struct address: address_family af, address_union un
struct prefix: address address, u8 len
""",
}
"""What texts can import: vnet/interface_types.api, vnet/ethernet/ethernet_types.api, vnet/ip/ip_types.api,
vnet/fib/fib_types.api."""
_FIRST_FREE_ID = 100


@record
class Api:
    """The codec, the table of messages and the definitions of a VPP of one release with certain plugins."""

    codec: Codec
    message_table: tuple[tuple[int, bytes], ...]
    """Id and NAME_CRC of every message."""
    json: bytes
    """What get_api_json answers."""


def present(release: Release, plugins: Collection[str]) -> frozenset[str]:
    """Return which optional parts a VPP of `release` has when it may load `plugins`."""
    return frozenset(
        kind.plugin
        for kind in KINDS
        if kind.plugin
        and release.is_in(kind.releases)
        and (kind.plugin in plugins or not release.is_in(kind.plugin_releases))
    )


def kinds_of(plugins: Collection[str]) -> tuple[Kind, ...]:
    """Return the kinds of objects that there are with these parts."""
    return tuple(kind for kind in KINDS if not kind.plugin or kind.plugin in plugins)


def api_files(release: Release, plugins: Collection[str] = PLUGINS) -> tuple[ApiFile, ...]:
    """Return the definitions that a VPP of `release` with these plugins speaks."""
    return tuple(file.in_release(release.name) for file in _files_of(present(release, plugins)))


@lru_cache(maxsize=16)
def _files_of(plugins: Collection[str]) -> tuple[ApiFile, ...]:
    texts: dict[str, list[str]] = {}
    for kind in kinds_of(plugins):
        for module, text in kind.api.items():
            texts.setdefault(module, []).append(text)
    return tuple(parse(module, *parts, shared=SHARED_TYPES) for module, parts in texts.items())


@lru_cache(maxsize=1)
def _all_fields() -> frozenset[str]:
    """Return the names of all fields that any message has in any release."""
    files = _files_of(PLUGINS)
    return frozenset(field.name for file in files for message in file.messages for field in message.fields)


def message_ids(files: Collection[ApiFile]) -> dict[str, int]:
    """Return the id of every message by its name: the fixed ones, then one after the other."""
    ids = dict(MESSAGE_IDS)
    names = [message.name for file in files for message in file.messages]
    for number, name in enumerate((name for name in names if name not in ids), _FIRST_FREE_ID):
        ids[name] = number
    return {name: ids[name] for name in names}


@lru_cache(maxsize=16)
def api_of(release: Release, plugins: frozenset[str]) -> Api:
    """Return the API of a VPP of `release` with these plugins; it is made once per process."""
    files = api_files(release, plugins)
    ids = message_ids(files)
    crcs = {message.name: message.crc for file in files for message in file.messages}
    return Api(
        codec=Codec(files, ids, _all_fields()),
        message_table=tuple((number, f"{name}_{crcs[name]}".encode()) for name, number in ids.items()),
        json=text_of(files, release.name),
    )


def write_api_dir(directory: Path, release: str, plugins: Collection[str] = PLUGINS) -> None:
    """Write one NAME.api.json per .api file below `directory`, for a client's --vpp-json-dir.

    Raise UsageError when the release is unknown or the directory cannot be written.
    """
    known = release_named(release)
    for file in api_files(known, plugins):
        path = directory / f"{file.module}.api.json"
        try:
            directory.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(document(file, release)), encoding="utf-8")
        except OSError as problem:
            raise UsageError(f"cannot write {path}: {problem.strerror}") from problem
