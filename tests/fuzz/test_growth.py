"""Inputs that grow: no reader takes more than 10 s of CPU or 256 MB, nor time that grows faster than its input."""

import random

import pytest

from tests.fuzz.forged import session_of
from tests.fuzz.growth import cost, growth, trouble, warm_up
from tests.fuzz.harness import MOST_BYTES, MOST_S, attack
from tests.fuzz.readers import READERS

SHORT_BYTES = 1 << 15
FORGED = 10_000
KNOWN = {
    "braces that are never closed": ("startup-check", b"{" * 40_000),
    "blocks that are never closed": ("startup-check", b"a { " * 2000),
    "a file that is too large": ("startup-check", b"{" * 3_000_000),
    "halves of placeholders": ("startup-check", b"${" * 4000 + b"$" * 4000),
    "stanzas that nobody knows": ("upgrade-startup", b"".join(b"a%d x\n" % number for number in range(2000))),
    "words that nobody knows": ("upgrade-startup", b"".join(b"unix { a%d }\n" % number for number in range(2000))),
    "a long key": ("check", b"k" * (15 << 20) + b": 1\n"),
    "comments that are never closed": ("bird", b"/*" * 50_000),
    "an include with a NUL": ("bird", b'include "a\0b";\n'),
    "templates of templates": (
        "bird",
        b"".join(
            b"template bgp a%d from a%d { }\nprotocol bgp p%d from a%d;\n" % (n, n - 1, n, n) for n in range(2000)
        ),
    ),
    "neighbours of one group": (
        "frr",
        b"router bgp 1\n" + b"".join(b" neighbor g x%d\n neighbor 10.0.0.1 peer-group g\n" % n for n in range(5000)),
    ),
    "an interface without a name": ("frr", b"interface\n shutdown\ninterface e\n ipv6 nd mtu " + b"9" * 5000 + b"\n"),
    "access list without an end": ("adopt-script", b"set acl-plugin acl " + b"permit ip, " * 300_000 + b"\n"),
    "macros of nothing": (
        "adopt-script",
        b"define e\ndefine a " + b"$(e)" * 9000 + b"\ndefine b " + b"$(a)" * 9000 + b"\n" + b"$(b)\n" * 50,
    ),
    "lines without an end": ("tune-text", b"(\n3" * (4 << 20)),
    "empty objects": ("tune-stats", b"[" + b"{}," * (8 << 20) + b"0]"),
}
"""What has once taken too long, too much, or ended with an internal error."""


@pytest.mark.parametrize(("reader", "text"), KNOWN.values(), ids=KNOWN.keys())
def test_what_was_too_much_once_is_read_or_refused(reader: str, text: bytes) -> None:
    found = cost(READERS[reader], lambda size: text, 0)
    assert not found.failure
    assert found.seconds < MOST_S
    assert found.size_bytes < MOST_BYTES


@pytest.mark.parametrize("name", ["bird", "check", "frr", "result", "startup-check", "tune-stats"])
def test_little_that_grows_takes_little(name: str) -> None:
    reader = READERS[name]
    warm_up(reader)
    called, grown = growth(reader, random.Random(f"{name} short"))
    wrong, told = trouble(reader, grown, SHORT_BYTES)
    assert not wrong, f"{called}: {told}"


@pytest.mark.long
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("seed", range(40))
def test_what_grows_takes_time_and_memory_that_grow_with_it(name: str, seed: int) -> None:
    reader = READERS[name]
    warm_up(reader)
    called, grown = growth(reader, random.Random(f"{name} {seed}"))
    wrong, told = trouble(reader, grown, reader.most_bytes)
    assert not wrong, f"{called}: {told}\n{wrong}"


@pytest.mark.long
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", READERS)
def test_forged_files_are_read_or_refused(name: str) -> None:
    report = attack(session_of(name), range(FORGED))
    assert not report.failures, str(report)
