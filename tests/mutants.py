"""Looks for what no test holds: changes a place of the code, runs the tests that belong to it, tells what survives.

`make mutants MUTANTS="vppcfg/plan vppcfg/transaction/journal.py" SAMPLE=50 SEED=1` tries fifty places, the same ones
for the same seed. Each change is made in a copy of the tree, one at a time; the tests next to the code run first, those
further away only when they find nothing. Survivors that no test can tell from the code stand in tests/mutants.txt, each
with its reason.
"""

import argparse
import ast
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, Self

import hypothesis.strategies  # noqa: F401 (imported once, for all of the tests)
import jsonschema  # noqa: F401
import pytest
import yaml  # noqa: F401

ROOT = Path(__file__).resolve().parents[1]
KNOWN = ROOT / "tests" / "mutants.txt"
DEFAULT = ("vppcfg/plan", "vppcfg/operations", "vppcfg/transaction", "vppcfg/config", "vppcfg/entries")
STAGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "vppcfg/plan/",
        (
            "tests/unit/plan tests/golden",
            "tests/unit/render tests/unit/cli/test_plan.py tests/laws/test_every_operation.py "
            "tests/laws/test_plan_laws.py tests/laws/test_impact_laws.py",
        ),
    ),
    (
        "vppcfg/transaction/",
        (
            "tests/unit/transaction",
            "tests/unit/cli/test_transaction.py tests/unit/cli/test_confirm.py tests/unit/cli/test_half_way.py "
            "tests/unit/cli/test_damaged_journal.py tests/unit/cli/test_full_disk.py tests/unit/cli/test_dead_timer.py",
            "tests/laws/test_journal_laws.py tests/chaos",
        ),
    ),
    (
        "vppcfg/config/",
        ("tests/unit/config", "tests/golden tests/unit/cli/test_check.py tests/laws/test_injection_laws.py"),
    ),
    (
        "vppcfg/kinds/",
        (
            "tests/unit/kinds tests/unit/config/rules tests/unit/config/sections",
            "tests/kinds tests/unit/config tests/unit/vpp/messages tests/golden",
            "tests/contract tests/laws",
        ),
    ),
    ("vppcfg/engine/", ("tests/unit/kinds", "tests/kinds tests/unit/config tests/golden")),
    ("vppcfg/entries/", ("tests/unit/config", "tests/unit/kinds tests/golden")),
    ("vppcfg/operations/", ("tests/unit/plan tests/golden", "tests/unit/kinds tests/kinds")),
    ("vppcfg/wire/", ("tests/unit/vpp", "tests/contract")),
    ("vppcfg/vpp/", ("tests/unit/vpp", "tests/contract")),
    ("vppcfg/loadtest/", ("tests/unit/loadtest",)),
    ("vppcfg/app/", ("tests/unit/app", "tests/unit/cli")),
    ("vppcfg/common/", ("tests/unit/common", "tests/unit/config tests/unit/loadtest")),
    ("vppcfg/model/", ("tests/unit/model", "tests/unit/plan tests/unit/config/rules tests/unit/config/sections")),
    (
        "vppcfg/render/",
        ("tests/unit/render", "tests/golden tests/golden_adopt tests/unit/app tests/unit/cli/test_plan.py"),
    ),
    ("vppcfg/verify/", ("tests/unit/verify", "tests/unit/render tests/unit/app")),
    ("vppcfg/adopt/", ("tests/unit/adopt tests/golden_adopt", "tests/laws/test_adopt_laws.py")),
    ("vppcfg/simulator/", ("tests/unit/simulator", "tests/contract tests/unit/vpp")),
)
"""Which tests belong to a part of the code, the quick ones first; the rest has those of the same name in tests/unit."""
_REACH: dict[str, int | None] = {"own": 1, "near": 2, "far": None}
"""How many stages are run, for each word on the command line; the third one of some parts takes minutes."""
_MARGIN_S = 60.0
_MOST_S = 1800.0
_TIMES_AS_LONG = 6.0
"""A stage that takes so many times what it takes on the code itself does not come to an end: that is noticed too."""

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    path: str
    line: int
    start: int
    """In bytes."""
    end: int
    before: str
    after: str

    @property
    def key(self) -> str:
        """Return what it is called in the list of known ones, wherever its line is."""
        return f"{self.path} | {one_line(self.before)} | {one_line(self.after)}"

    def apply(self, source: bytes) -> bytes:
        """Return the code with the change."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def one_line(text: str) -> str:
    """Return code without its line ends."""
    return " ".join(text.split())


def mutants_of(path: str, source: bytes) -> Iterator[Mutant]:
    """Yield every change of a module that is worth a try."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, after in _changes(ast.parse(source)):
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        yield Mutant(path, node.lineno, start, end, source[start:end].decode(), after)


def _changes(tree: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    for node in _worth_changing(tree):
        if isinstance(node, ast.stmt):
            yield from _changed_statement(node)
        elif isinstance(node, ast.expr):
            yield from ((node, f"({text})") for text in _changed_expression(node))


def _worth_changing(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below one, but for what is not carried out, and what is in a text."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_comment"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.JoinedStr) or not isinstance(child, ast.AST) or _is_for_types(child):
                continue
            yield child
            yield from _worth_changing(child)


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _changed_statement(node: ast.stmt) -> Iterator[tuple[ast.stmt, str]]:
    if isinstance(node, ast.Raise | ast.AugAssign | ast.Delete) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and not _is_log(node.value)
    ):
        yield node, "pass"
    elif isinstance(node, ast.Continue):
        yield node, "break"
    elif isinstance(node, ast.Break):
        yield node, "continue"


def _is_log(call: ast.Call) -> bool:
    name = ast.unparse(call.func)
    return name.lower().lstrip("_").startswith("log.")


def _changed_expression(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            yield ast.unparse(ast.Compare(left, [_COMPARISONS[type(op)]()], [right]))
        case ast.BoolOp(op=op, values=values):
            yield ast.unparse(ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values))
            yield from (ast.unparse(value) for value in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield ast.unparse(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS and not _is_text(left, right):
            yield ast.unparse(ast.BinOp(left, _OPERATORS[type(op)](), right))
        case ast.IfExp(body=body, orelse=orelse):
            yield from (ast.unparse(body), ast.unparse(orelse))
        case ast.Constant(value=bool() as value):
            yield str(not value)
        case ast.Constant(value=int() as value):
            yield str(value + 1)
        case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
            yield from _without_conditions(node)


def _is_text(*nodes: ast.expr) -> bool:
    return any(isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", None), str) for node in nodes)


def _without_conditions(node: ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp) -> Iterator[str]:
    for generator in node.generators:
        kept = generator.ifs
        for left_out in kept:
            generator.ifs = [condition for condition in kept if condition is not left_out]
            yield ast.unparse(node)
        generator.ifs = kept


def stages_of(path: str) -> tuple[str, ...]:
    """Return the tests that belong to a module, those to run first at the beginning."""
    for prefix, stages in STAGES:
        if path.startswith(prefix):
            return stages
    package = path.split("/")[1]
    return (f"tests/unit/{package}",) if (ROOT / "tests" / "unit" / package).is_dir() else ("tests/unit/cli",)


def own_tests_of(path: str) -> tuple[str, ...]:
    """Return the tests that mirror a module, where there are some."""
    below = Path(path).relative_to("vppcfg")
    own = Path("tests", "unit", below.parent, f"test_{below.name}")
    return (str(own),) if (ROOT / own).is_file() else ()


class Copy:
    """A copy of the tree in which one change after the other is made; a context manager that removes it."""

    def __init__(self, stages: int | None) -> None:
        """Run so many of the stages that belong to a module, None for all of them."""
        self._stages = stages
        self._folder = Path(tempfile.mkdtemp(prefix="mutants-"))
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        for name in filter(None, listed.decode().split("\0")):
            target = self._folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target, follow_symlinks=False)
        self._usual_s: dict[str, float] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        shutil.rmtree(self._folder)

    def is_noticed(self, mutant: Mutant) -> bool:
        """Return whether a test fails, or does not come to an end, with a change."""
        path = self._folder / mutant.path
        source = path.read_bytes()
        stages = stages_of(mutant.path)[: self._stages]
        for stage in (*own_tests_of(mutant.path), *stages):
            limit_s = _MARGIN_S + _TIMES_AS_LONG * self._usual(stage)
            path.write_bytes(mutant.apply(source))
            try:
                if not self._passes(stage, limit_s):
                    return True
            finally:
                path.write_bytes(source)
        return False

    def _usual(self, stage: str) -> float:
        """Return how many seconds the tests of a stage take on the code itself."""
        if stage not in self._usual_s:
            begin = time.monotonic()
            if not self._passes(stage, _MOST_S):
                sys.exit(f"{stage} fails without any change: mend that first")
            self._usual_s[stage] = time.monotonic() - begin
        return self._usual_s[stage]

    def _passes(self, stage: str, limit_s: float) -> bool:
        """Run tests in a copy of this process, which has what all of them import, and nothing of vppcfg."""
        pid = os.fork()
        if pid == 0:
            _run_tests(self._folder, stage.split())
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                return status == 0
            time.sleep(0.05)
        os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return False


def _run_tests(folder: Path, places: Sequence[str]) -> NoReturn:
    """Run tests of a tree, and end this process."""
    code = 1
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(nothing, descriptor)
        os.chdir(folder)
        os.environ["PYTHONPATH"] = str(folder)
        sys.path[0] = str(folder)
        for name in [name for name in sys.modules if name.partition(".")[0] in {"tests", "vppcfg"}]:
            del sys.modules[name]
        options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not long and not timed"]
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # hypothesis is there already
        code = int(pytest.main([*options, *places]))
    finally:
        os._exit(code)


def all_mutants(places: Iterable[str]) -> list[Mutant]:
    """Return every change of the modules at some places, in their order."""
    paths = [path for place in places for path in _modules(ROOT / place)]
    return [mutant for path in paths for mutant in mutants_of(str(path.relative_to(ROOT)), path.read_bytes())]


def _modules(place: Path) -> list[Path]:
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]


def known_mutants() -> dict[str, str]:
    """Return the reasons for those that no test can tell from the code, by their key."""
    lines = KNOWN.read_text(encoding="utf-8").splitlines() if KNOWN.exists() else []
    rows = [line.rsplit(" | ", 1) for line in lines if line and not line.startswith("#")]
    return {key.strip(): reason for key, reason in rows}


def main(arguments: Sequence[str]) -> int:
    """Try a sample of changes, tell of each survivor, and return 1 when there is one that is not known."""
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("places", nargs="*", default=DEFAULT, help="modules and packages (default: %(default)s)")
    parser.add_argument("--sample", type=int, default=50, help="how many to try (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (default: %(default)s)")
    parser.add_argument("--reach", choices=list(_REACH), default="near", help="which tests run (default: %(default)s)")
    args = parser.parse_args(arguments)
    everything, known = all_mutants(args.places), known_mutants()
    sample = random.Random(args.seed).sample(everything, min(args.sample, len(everything)))
    tell(f"{len(sample)} of {len(everything)} changes, seed {args.seed}")
    survivors = 0
    with Copy(_REACH[args.reach]) as copy:
        for number, mutant in enumerate(sorted(sample, key=lambda one: (one.path, one.start)), start=1):
            if mutant.key in known:
                tell(f"{number}: known: {mutant.key}: {known[mutant.key]}")
            elif copy.is_noticed(mutant):
                tell(f"{number}: noticed: {mutant.path}:{mutant.line}")
            else:
                survivors += 1
                tell(f"{number}: SURVIVED: {mutant.path}:{mutant.line}: {mutant.key}")
    tell(f"{survivors} of {len(sample)} survived")
    return 1 if survivors else 0


def tell(text: str) -> None:
    """Show a line at once."""
    print(text, flush=True)  # noqa: T201 (a program of its own)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
