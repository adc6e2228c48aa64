"""Results of one run in, the part of docs/performance.md that they make out: bounds, growth, tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from bench.growth import Growth, growth
from bench.scenario import (
    APPLY,
    CHECK,
    COMMANDS,
    LOADER,
    PLAN_EMPTY,
    PLAN_NOTHING,
    PUBLIC_CHECK,
    PUBLIC_PLAN,
    VPPCTL,
    Result,
)
from vppcfg.common.graph import PALETTE, Graph, Line, log_scale
from vppcfg.common.svg import svg_of
from vppcfg.record import record

SIMULATED, REAL = "simulated", "real"
SUB_INTERFACES = "sub-interfaces"
_PICTURE_SIZE = 760, 420
"""Width and height of the plot in pixels."""
BOUND_SIZE = 10_000
"""Sub-interfaces that the bounds are about."""
_MEASURED = re.compile(r"(?<=<!-- measured -->\n).*(?=<!-- end of measured -->)", re.DOTALL)


@record
class Bound:
    """What something may cost, and what it did."""

    what: str
    limit: float
    measured: float
    unit: str

    @property
    def is_met(self) -> bool:
        """Return whether it stayed within the bound."""
        return self.measured <= self.limit


class Results:
    """The results of one run, by network, size, VPP and command."""

    def __init__(self, results: Iterable[Result]) -> None:
        self._results: dict[tuple[str, int, str, str], Result] = {}
        for result in results:
            self._results.setdefault((result.kind, result.size, result.dataplane, result.command), result)

    def find(self, kind: str, size: int, command: str, dataplane: str) -> Result | None:
        """Return the result of a command; one that needs no VPP is the same for all of them."""
        return self._results.get((kind, size, dataplane, command)) or self._results.get((kind, size, "", command))

    def kinds(self, dataplane: str) -> list[str]:
        """Return the networks that were measured with a VPP."""
        return list(dict.fromkeys(kind for kind, _, where, _ in self._results if where == dataplane))

    def sizes(self, kind: str, dataplane: str) -> list[int]:
        """Return the sizes of a network that were measured with a VPP."""
        return sorted({size for name, size, where, _ in self._results if name == kind and where == dataplane})


def bounds(results: Results, version_cpu_s: float) -> list[Bound]:
    """Return the bounds of the design as far as this run measured what they are about."""
    found = [Bound(what="vppcfg --version, CPU", limit=0.05, measured=version_cpu_s, unit="s")]
    if small := results.find(SUB_INTERFACES, 1, CHECK, SIMULATED):
        found.append(Bound(what="check of a small file, CPU", limit=0.17, measured=small.cost.cpu_s, unit="s"))
    loader = results.find(SUB_INTERFACES, BOUND_SIZE, LOADER, SIMULATED)
    for command, limit in ((CHECK, 0.9), (PLAN_NOTHING, 1.8), (PLAN_EMPTY, 3.0)):
        result = results.find(SUB_INTERFACES, BOUND_SIZE, command, SIMULATED)
        if loader and result:
            share = result.cost.cpu_s / loader.cost.cpu_s
            found.append(Bound(what=f"{command}, CPU", limit=limit, measured=share, unit="F"))
    peaks = [r.cost.peak_bytes for command in COMMANDS if (r := _at_bound(results, command))]
    if peaks:
        found.append(Bound(what="peak memory of any command", limit=250, measured=max(peaks) / 1e6, unit="MB"))
    for kind in results.kinds(REAL):
        for size in results.sizes(kind, REAL):
            found += _apply_bound(results, kind, size)
    return found


def _at_bound(results: Results, command: str) -> Result | None:
    return results.find(SUB_INTERFACES, BOUND_SIZE, command, SIMULATED)


def _apply_bound(results: Results, kind: str, size: int) -> list[Bound]:
    apply, floor = (results.find(kind, size, command, REAL) for command in (APPLY, VPPCTL))
    if apply is None or floor is None or size < BOUND_SIZE:
        return []
    what = f"apply, wall time, {kind} {size:,}"
    return [Bound(what=what, limit=1.5, measured=apply.cost.wall_s / floor.cost.wall_s, unit="vppctl exec")]


def grown_too_fast(results: Results) -> Iterator[str]:
    """Yield what of ours grows faster than n log n, in words."""
    for kind, name, grown in growths(results):
        if name != LOADER and grown.is_too_fast:
            yield f"{kind}, {name}: grows with n^{grown.exponent:.2f}"


def growths(results: Results) -> Iterator[tuple[str, str, Growth]]:
    """Yield the network, what of it was measured, and how that grows with its size, where that can be told."""
    for kind in results.kinds(SIMULATED):
        for command in (LOADER, *COMMANDS):
            yield from _growth(results, kind, command, command, lambda result: result.cost.cpu_s)
        yield from _growth(results, kind, APPLY, "simulator, apply", lambda result: result.server_cpu_s)


def _growth(
    results: Results, kind: str, command: str, name: str, figure: Callable[[Result], float]
) -> Iterator[tuple[str, str, Growth]]:
    found = {size: results.find(kind, size, command, SIMULATED) for size in results.sizes(kind, SIMULATED)}
    figures = {size: figure(result) for size, result in found.items() if result is not None}
    grown = growth(figures) if figures else None
    if grown is not None:
        yield kind, name, grown


def report(results: Results, *, machine: str, version_cpu_s: float) -> str:
    """Return what is measured as Markdown."""
    parts = [machine, "", "### The bounds", "", *_bounds_table(bounds(results, version_cpu_s))]
    parts += ["", "### A simulated VPP, CPU seconds", ""]
    for kind in results.kinds(SIMULATED):
        parts += [*_table(results, kind, SIMULATED, lambda result: result.cost.cpu_s), ""]
    if results.kinds(REAL):
        parts += ["### A real VPP, wall seconds", ""]
    for kind in results.kinds(REAL):
        parts += [*_table(results, kind, REAL, lambda result: result.cost.wall_s), ""]
    parts += ["### Growth", "", *_growth_table(list(growths(results))), "", *_peers(results)]
    return "\n".join(parts) + "\n"


def picture(results: Results) -> str:
    """Return CPU time against the number of sub-interfaces as SVG, a line per command."""
    lines: dict[str, tuple[tuple[float, float], ...]] = {}
    for command in (LOADER, *COMMANDS):
        found = [
            (float(size), result.cost.cpu_s)
            for size in results.sizes(SUB_INTERFACES, SIMULATED)
            if (result := results.find(SUB_INTERFACES, size, command, SIMULATED)) is not None
        ]
        if found:
            lines[command] = tuple(found)
    return svg_of(_graph(lines), *_PICTURE_SIZE) + "\n"


def _graph(lines: Mapping[str, tuple[tuple[float, float], ...]]) -> Graph:
    """Return both axes logarithmic, so that what grows with the size is a straight line."""
    sizes, seconds = zip(*(point for points in lines.values() for point in points), strict=True)
    return Graph(
        title="CPU seconds against size",
        x=log_scale(min(sizes), max(sizes), "{:,g}".format),
        y=log_scale(min(seconds), max(seconds), "{:,g}".format),
        x_name="sub-interfaces with two addresses and an LCP pair",
        y_name="CPU seconds",
        lines=tuple(
            Line(label=name, parts=(points,), colour=number, is_dashed=number >= len(PALETTE))
            for number, (name, points) in enumerate(lines.items())
        ),
    )


def written_into(document: str, text: str) -> str:
    """Return a document with what stands between its two marks replaced. Raise ValueError without the marks."""
    if not _MEASURED.search(document):
        raise ValueError("the document has no <!-- measured --> and <!-- end of measured --> to write between")
    return _MEASURED.sub(lambda match: f"\n{text}\n", document)


def _rows(header: Sequence[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _bounds_table(found: Iterable[Bound]) -> Iterator[str]:
    rows = [
        (bound.what, f"{bound.limit:g} {bound.unit}", f"{bound.measured:.2f}", "yes" if bound.is_met else "**no**")
        for bound in found
    ]
    return _rows(("what", "at most", "measured", "met"), rows)


def _table(results: Results, kind: str, dataplane: str, figure: Callable[[Result], float]) -> Iterator[str]:
    columns = (LOADER, *COMMANDS, *((VPPCTL,) if dataplane == REAL else ()))
    sizes = results.sizes(kind, dataplane)
    used = [command for command in columns if any(results.find(kind, size, command, dataplane) for size in sizes)]
    header = (kind.replace("-", " "), *used, *(f"VPP's CPU in {name}" for name in _serving(used)), "peak memory")
    return _rows(header, (_row(results, kind, size, dataplane, used, figure) for size in sizes))


def _row(
    results: Results, kind: str, size: int, dataplane: str, commands: Sequence[str], figure: Callable[[Result], float]
) -> Iterator[str]:
    found = {command: results.find(kind, size, command, dataplane) for command in commands}
    yield f"{size:,}"
    yield from ("" if result is None else f"{figure(result):.2f}" for result in found.values())
    served = (found[command] for command in _serving(commands))
    yield from ("" if result is None else f"{result.server_cpu_s:.2f}" for result in served)
    ours = [result.cost.peak_bytes for command, result in found.items() if result and command in COMMANDS]
    yield f"{max(ours, default=0) / 1e6:.0f} MB"


def _serving(commands: Sequence[str]) -> Sequence[str]:
    """Return the commands that VPP works for more than a moment."""
    return [command for command in (APPLY, VPPCTL) if command in commands]


def _growth_table(found: Sequence[tuple[str, str, Growth]]) -> Iterator[str]:
    """Yield a row of exponents for each network, a column for each command; those that grow too fast stand out."""
    names = list(dict.fromkeys(name for _, name, _ in found))
    by_kind: dict[str, dict[str, str]] = {}
    for kind, name, grown in found:
        by_kind.setdefault(kind, {})[name] = _exponent(name, grown)
    rows = ((kind.replace("-", " "), *(cells.get(name, "") for name in names)) for kind, cells in by_kind.items())
    return _rows(("exponent", *names), rows)


def _exponent(name: str, grown: Growth) -> str:
    text = f"{grown.exponent:.2f}±{grown.error:.2f}"
    return f"**{text}**" if grown.is_too_fast and name != LOADER else text


def _peers(results: Results) -> Iterator[str]:
    rows = []
    for size in results.sizes(SUB_INTERFACES, SIMULATED):
        for public, own in ((PUBLIC_CHECK, CHECK), (PUBLIC_PLAN, PLAN_EMPTY)):
            theirs, ours = (results.find(SUB_INTERFACES, size, command, SIMULATED) for command in (public, own))
            if theirs and ours:
                share = theirs.cost.cpu_s / ours.cost.cpu_s
                rows.append((f"{size:,}", own, f"{theirs.cost.cpu_s:.2f}", f"{ours.cost.cpu_s:.2f}", f"{share:.0f}"))
    if rows:
        yield from ("### The public vppcfg 1.2.4, CPU seconds", "")
        yield from _rows(("sub interfaces", "command", "public", "vppcfg", "times"), rows)
