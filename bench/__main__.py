"""`python -m bench`: measures, prints and, where asked for, writes the results into a document."""

from __future__ import annotations

import argparse
import logging
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.dataplanes import Start, real, release_of_real_vpp, simulated, vppcfg
from bench.measure import FailedError, least, measure
from bench.networks import KINDS
from bench.report import REAL, SIMULATED, SUB_INTERFACES, Results, bounds, grown_too_fast, picture, report, written_into
from bench.scenario import Result, measure_network
from tests import real_vpp

log = logging.getLogger("bench")

SIZES: dict[str, tuple[int, ...]] = {
    "sub-interfaces": (1, 250, 1000, 2500, 10_000, 50_000),
    "bonds-and-bridges": (1, 100, 250, 500),
    "acl-terms": (1, 1000, 2500, 10_000),
    "mix": (20, 1000, 2500, 10_000),
    "sub-interfaces-in-vrfs": (1000, 2500, 10_000),
    "tunnels": (20, 1000, 2500, 10_000),
    "services": (20, 1000, 2500, 10_000),
}
REAL_SIZES: dict[str, tuple[int, ...]] = {
    "sub-interfaces-without-lcp": (250, 1000, 10_000),
    "sub-interfaces": (250, 1000),
    "acl-terms": (250, 2500, 10_000),
    "services": (250, 2500, 10_000),
    "mix": (250, 1000),
}
PEER_SIZES = (1, 250)
"""The public vppcfg takes minutes for 1,000."""
ROUNDS = {SIMULATED: ((2500, 5), (10_000, 4), (50_000, 2)), REAL: ((2500, 3), (10_000, 2))}
"""How often everything is run, for networks up to a size: the least counts, and the smaller is disturbed more."""


def main() -> int:
    """Measure; return 1 when a bound is broken or something grows faster than n log n."""
    args = _arguments()
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        results, version_cpu_s = Results(_measured(args)), _version_cpu_s()
    except FailedError as error:
        log.error("%s", error)
        return 1
    text = report(results, machine=_machine(), version_cpu_s=version_cpu_s)
    sys.stdout.write(text)
    if args.document is not None:
        args.document.write_text(written_into(args.document.read_text(), text))
        args.document.with_suffix(".svg").write_text(picture(results))
    return _verdict(results, version_cpu_s)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure vppcfg on networks of real size.")
    parser.add_argument("--only", metavar="KIND", choices=sorted(KINDS), help="measure one kind of network")
    parser.add_argument("--largest", metavar="N", type=int, default=50_000, help="leave out what is larger")
    parser.add_argument("--public", metavar="PROGRAM", type=Path, help="the public vppcfg, to compare with")
    parser.add_argument("--document", metavar="FILE", type=Path, help="write the results into this Markdown file")
    return parser.parse_args()


def _measured(args: argparse.Namespace) -> list[Result]:
    """Measure everything that the arguments and VPP_PREFIX ask for. Raise FailedError."""
    reason = real_vpp.skip_reason()
    if reason is not None:
        log.info("Without a real VPP: %s", reason)
    results: list[Result] = []
    try:
        results.extend(_series(args, SIMULATED, simulated, SIZES))
        if reason is None:
            results.extend(_series(args, REAL, real, REAL_SIZES))
    except KeyboardInterrupt:
        log.info("Interrupted: only what was measured until now is shown, and no document is written")
        args.document = None
    return results


def _series(
    args: argparse.Namespace, dataplane: str, start: Start, sizes_by_kind: dict[str, tuple[int, ...]]
) -> Iterator[Result]:
    for kind, sizes in sizes_by_kind.items():
        for size in (size for size in sizes if args.only in (None, kind) and size <= args.largest):
            is_simulated = dataplane == SIMULATED
            is_compared = is_simulated and kind == SUB_INTERFACES and size in PEER_SIZES
            yield from measure_network(
                kind,
                KINDS[kind](size),
                dataplane,
                start,
                rounds=next(rounds for largest, rounds in ROUNDS[dataplane] if size <= largest),
                public=args.public if is_compared else None,
            )


def _version_cpu_s() -> float:
    """Return the CPU time of `vppcfg --version` in seconds."""
    words = [vppcfg(), "--version"]
    with TemporaryDirectory(prefix="vppcfg-bench-") as folder:
        return least([measure(words, output=Path(folder) / "output", timeout_s=60) for _ in range(20)]).cpu_s


def _machine() -> str:
    """Return what the measurements were made on and with."""
    models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    model = models[0].partition(":")[2].strip() if models else platform.machine()
    python = f"Python {platform.python_version()}"
    vpp = f"; VPP {release_of_real_vpp()}" if real_vpp.skip_reason() is None else ""
    return f"Measured on {os.cpu_count()} CPUs ({model}), Linux {platform.release()}, {python}{vpp}."


def _verdict(results: Results, version_cpu_s: float) -> int:
    broken = [bound.what for bound in bounds(results, version_cpu_s) if not bound.is_met]
    broken += grown_too_fast(results)
    for what in broken:
        log.error("Too much: %s", what)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
