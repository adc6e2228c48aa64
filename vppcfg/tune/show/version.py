"""`show version` in, the version text out (VPP: vpp/app/version.c)."""

from __future__ import annotations

import re

from vppcfg.tune.show.lines import Unread, clean_lines

_VERSION = re.compile(r"(?:^vpp |Version: )v?(\d+\.\d+\S*)")


def parse_version(text: str) -> tuple[str | None, Unread]:
    """Return the version, such as 23.06-rc0~35-gaf4046134, None when there is none."""
    for line in clean_lines(text):
        if match := _VERSION.search(line):
            return match[1], ()
    return None, tuple(clean_lines(text))
