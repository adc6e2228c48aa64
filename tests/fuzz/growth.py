"""Grows what readers of files are given, and looks at what that costs: `python -m tests.fuzz.growth --inputs 50 check`.

A growth repeats, lengthens, nests or numbers one thing in a sound text. It is read at sizes that grow fourfold, up to
the largest that its reader takes, each in a process of its own. The bounds are those of the harness; and four times the
size may not take more than eight times of time or memory, as soon as that shows.
"""

from __future__ import annotations

import json
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.fuzz.harness import MOST_BYTES, MOST_S, TooSlowError
from tests.fuzz.readers import READERS, Reader

Grown = Callable[[int], bytes]
"""From a size to a text of about that size."""
_FIRST_BYTES, _FACTOR = 1 << 13, 4
_STEEPEST = 8.0
"""What four times the size may cost more: one and a half in the exponent, for small sizes are not even."""
_SHOWS_S, _SHOWS_BYTES = 0.6, 48 << 20
"""From here on a slope is no noise."""
_MEMORY_BYTES = 3 << 30
"""Where a reader is ended, to spare the machine."""
_HOLE = "a hole in this text"


class Cost(NamedTuple):
    """What one reading took."""

    seconds: float
    size_bytes: int
    """Of the memory that it took at most."""
    end: str
    failure: str


def growth(reader: Reader, dice: random.Random) -> tuple[str, Grown]:
    """Return a way to grow a text of a reader, and what it is called."""
    text = dice.choice(reader.texts())
    if reader.is_json and dice.random() < 0.7:
        return _grown_document(json.loads(text), dice)
    place = dice.randrange(len(text) + 1)
    place = dice.choice((0, place, len(text), text.rfind(b"\n", 0, place) + 1))
    head, tail = dice.choice(((b"", b""), (text[:place], text[place:])))
    name, middle = _grown_part(text, reader.tokens, dice)
    return f"{name} at {len(head)} of {len(head + tail)}", lambda size: head + middle(size) + tail


def _grown_part(text: bytes, tokens: Sequence[bytes], dice: random.Random) -> tuple[str, Grown]:
    lines = text.splitlines(keepends=True) or [b"x\n"]
    words = [word for word in re.findall(rb"\S+", text) if len(word) < 100] or [b"x"]
    unit = dice.choice(
        (
            dice.choice(tokens),
            dice.choice(tokens) + dice.choice(tokens),
            dice.choice(tokens) + dice.choice((b" ", b"\n", b"")) + dice.choice(words),
            dice.choice(words) + dice.choice((b" ", b"\n", b"")),
            dice.choice(lines),
            b"".join(lines[: dice.randint(1, len(lines))]),
        )
    )
    kind = dice.choice(("repeat", "repeat", "number", "number", "lengthen", "nest"))
    shown = f"{kind} {unit[:60]!r}"
    if kind == "number":
        if not re.search(rb"\d", unit):
            unit = re.sub(rb"([a-zA-Z])(?![a-zA-Z])", rb"\g<1>0", unit, count=1)
        pattern = re.sub(rb"\d{1,20}(?!\d)", b"%d", unit.replace(b"%", b"%%"))
        count = len(re.findall(rb"(?<!%)(?:%%)*%d", pattern))
        return shown, lambda size: b"".join(
            pattern % ((number,) * count) for number in range(max(1, size // (len(pattern) + 3)))
        )
    if kind == "lengthen":
        letter = bytes(unit[-1:]) or b"a"
        end = dice.choice((b"", b"\n", b": x\n", b" x\n"))
        return shown + repr(end), lambda size: unit + letter * size + end
    if kind == "nest":
        closing = dice.choice((b"}", b"]", b"*/", b")", b"'", b"\n}\n"))
        return shown + repr(closing), lambda size: _times(unit, size // 2) + _times(closing, size // 2)
    return shown, lambda size: _times(unit, size)


def _times(unit: bytes, size: int) -> bytes:
    return unit * max(1, size // max(1, len(unit)))


def _grown_document(document: Any, dice: random.Random) -> tuple[str, Grown]:
    """Grow one list, object or text of a document."""
    whole = [document]
    node, key, path = whole, 0, ""
    while isinstance(node[key], list | dict) and node[key] and dice.random() < 0.85:
        node = node[key]
        key = dice.choice(list(node) if isinstance(node, dict) else range(len(node)))
        path += f"/{key}"
    value = json.dumps(node[key])
    if isinstance(node, list):
        return _spliced(f"items {path}", node, key, whole, lambda number: value)
    kind = dice.choice(("keys", "longer key", "text", "digits", "nest", "items", "objects"))
    if kind == "keys":
        node[_HOLE] = None
        head, _, tail = json.dumps(whole[0]).partition(f'"{_HOLE}": null')
        word = str(key)
        return f"keys {path}", lambda size: _joined(head, lambda number: f'"{word}{number}": {value}', tail, size)
    if kind == "longer key":
        node[_HOLE] = node.pop(key)
        head, _, tail = json.dumps(whole[0]).partition(_HOLE)
        return f"longer key {path}", lambda size: (head + "k" * size + tail).encode()
    item = {"text": "x", "digits": "9", "items": "0", "objects": "{}", "nest": "["}[kind]
    node[key] = _HOLE
    head, _, tail = json.dumps(whole[0]).partition(f'"{_HOLE}"')
    if kind == "text":
        return f"text {path}", lambda size: (head + '"' + item * size + '"' + tail).encode()
    if kind == "digits":
        return f"digits {path}", lambda size: (head + item * size + tail).encode()
    if kind == "nest":
        return f"nest {path}", lambda size: (head + "[" * (size // 2) + "]" * (size // 2) + tail).encode()
    return f"{kind} {path}", lambda size: _joined(head + "[", lambda number: item, "]" + tail, size)


def _spliced(name: str, node: Any, key: Any, whole: list[Any], item: Callable[[int], str]) -> tuple[str, Grown]:
    node[key] = _HOLE
    head, _, tail = json.dumps(whole[0]).partition(f'"{_HOLE}"')
    return name, lambda size: _joined(head, item, tail, size)


def _joined(head: str, item: Callable[[int], str], tail: str, size: int) -> bytes:
    count = max(1, size // (len(item(0)) + 3))
    return (head + ", ".join(map(item, range(count))) + tail).encode()


def cost(reader: Reader, grown: Grown, size: int) -> Cost:
    """Return what it takes to read a grown text, in another process."""
    receiving, sending = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(receiving)
        _measure(reader, grown, size, sending)
    os.close(sending)
    with os.fdopen(receiving) as stream:
        said = stream.read()
    _, status = os.waitpid(pid, 0)
    if not said:
        return Cost(0.0, 0, "", f"the process ended with {os.waitstatus_to_exitcode(status)}")
    return Cost(*json.loads(said))


def _measure(reader: Reader, grown: Grown, size: int, sending: int) -> None:
    signal.signal(signal.SIGPROF, _too_slow)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    end, failure = "", ""
    data = grown(size)[: reader.most_bytes]
    before_bytes, before_s = _peak_bytes(), time.process_time()
    signal.setitimer(signal.ITIMER_PROF, MOST_S * 1.2)
    try:
        with tempfile.TemporaryDirectory() as folder:
            end = reader.run(Path(folder), data)
    except TooSlowError:
        failure = "".join(traceback.format_exc(limit=-8))
    except AssertionError as error:
        failure = str(error)[-1500:]
    except BaseException:  # noqa: BLE001 (the copy of pytest must not go on)
        failure = traceback.format_exc(limit=-8)
    signal.setitimer(signal.ITIMER_PROF, 0)
    took = Cost(time.process_time() - before_s, _peak_bytes() - before_bytes, end, failure)
    os.write(sending, json.dumps(took).encode()[:65536])
    os._exit(0)


def _too_slow(number: int, frame: Any) -> None:
    raise TooSlowError


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def warm_up(reader: Reader) -> None:
    """Read what is sound, so that the tables and modules of the reader are there."""
    with tempfile.TemporaryDirectory() as folder:
        reader.run(Path(folder), reader.texts()[0])


def steps(most_bytes: int) -> Iterator[int]:
    """Yield the sizes that a text is grown to."""
    size = _FIRST_BYTES
    while size < most_bytes:
        yield size
        size *= _FACTOR
    yield most_bytes


def trouble(reader: Reader, grown: Grown, most_bytes: int) -> tuple[str, list[str]]:
    """Return what is wrong with the cost of a growth, '' for nothing, and how each step ended."""
    former, told = cost(reader, grown, _FIRST_BYTES // _FACTOR), []
    for size in steps(most_bytes):
        now = cost(reader, grown, size)
        told.append(f"{size >> 10}k {now.seconds:.2f}s {now.size_bytes >> 20}MB {now.end}")
        if now.seconds > MOST_S:
            return f"more than {MOST_S} s of CPU\n{now.failure}", told
        if now.size_bytes > MOST_BYTES:
            return f"more than {MOST_BYTES >> 20} MB\n{now.failure}", told
        if now.failure:
            return now.failure, told
        if now.seconds > _SHOWS_S and now.seconds > _STEEPEST * max(former.seconds, 0.02):
            return "time grows faster than the input", told
        if now.size_bytes > _SHOWS_BYTES and now.size_bytes > _STEEPEST * max(former.size_bytes, 1 << 20):
            return "memory grows faster than the input", told
        former = now
    return "", told


def main() -> int:
    """Grow inputs as a command line says, and tell what goes wrong."""
    parser = ArgumentParser()
    parser.add_argument("readers", nargs="*")
    parser.add_argument("--inputs", type=int, default=50, help="growths of each reader")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--most", type=int, metavar="BYTES", help="the largest size, in place of the readers' own")
    args = parser.parse_args()
    failures = 0
    for name in args.readers or READERS:
        reader = READERS[name]
        warm_up(reader)
        for seed in range(args.first, args.first + args.inputs):
            called, grown = growth(reader, random.Random(f"{name} {seed}"))
            wrong, told = trouble(reader, grown, args.most or reader.most_bytes)
            if wrong:
                failures += 1
                print(f"== {name} {seed}: {called}: {'; '.join(told)}\n{wrong}", flush=True)  # noqa: T201
        print(f"{name}: {args.inputs} growths", flush=True)  # noqa: T201
    print(f"{failures} failures")  # noqa: T201
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
