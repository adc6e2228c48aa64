"""The binary API of one release as a server needs it: codec, table of messages, JSON. Made once per release."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from vppcfg.record import record
from vppcfg.simulator.api_json import text_of
from vppcfg.simulator.codec import Codec
from vppcfg.simulator.releases import Release, api_files, codec_of, message_ids


@record
class Api:
    """What a VPP of one release, with certain plugins, speaks."""

    codec: Codec
    message_table: tuple[tuple[int, bytes], ...]
    """Id and NAME_CRC of every message."""
    json: bytes
    """What get_api_json answers."""
    fields: Mapping[str, tuple[str, ...]]
    """Names of the fields of every message, the message id left out."""


@lru_cache(maxsize=16)
def api_of(release: Release, plugins: frozenset[str]) -> Api:
    """Return the API of a VPP of `release` with these plugins."""
    files = api_files(release, plugins)
    ids = message_ids(files)
    crcs = {message.name: message.crc for file in files for message in file.messages}
    return Api(
        codec=codec_of(files, ids),
        message_table=tuple((number, f"{name}_{crcs[name]}".encode()) for name, number in ids.items()),
        json=text_of(files, release.name),
        fields={
            message.name: tuple(field.name for field in message.fields) for file in files for message in file.messages
        },
    )
