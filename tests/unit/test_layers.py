"""The architecture, held against the code: who may import whom, and what may stand where."""

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "vppcfg"

FOUNDATION = ("model", "common", "errors", "record")
LAYERS: dict[str, tuple[str, ...]] = {
    "cli": ("everything",),
    "api": ("app", "config", "entries", "plan"),
    "upgrade": (
        *("adopt", "app", "startup", "render", "transaction", "plan", "config", "vpp", "simulator", "linux", "kinds"),
        *("entries", "operations"),
    ),
    "adopt": ("startup", "plan", "config", "vpp", "simulator", "kinds", "engine", "entries", "operations", "assets"),
    "app": (
        *("render", "transaction", "plan", "config", "vpp", "dataplane", "linux", "host", "tune", "verify", "probe"),
        *("routing_daemons", "kinds", "entries", "operations", "__version__"),
    ),
    "startup": ("config", "kinds", "entries", "assets"),
    "render": ("plan", "config", "verify", "probe", "kinds", "entries", "operations"),
    "transaction": ("plan", "dataplane", "kinds", "operations"),
    "plan": ("kinds", "engine", "operations"),
    "config": ("kinds", "engine", "entries", "assets"),
    "vpp": ("dataplane", "kinds", "engine", "wire", "operations"),
    "dataplane": ("operations",),
    "kinds": ("engine", "wire", "operations", "entries"),
    "engine": ("wire", "operations", "entries"),
    "wire": ("operations",),
    "operations": (),
    "entries": ("assets",),
    "simulator": ("assets",),
    "loadtest": ("linux", "assets"),
    "tune": ("assets",),
    "linux": (),
    "host": (),
    "verify": (),
    "probe": (),
    "routing_daemons": (),
    "commandline": (),
    "model": (),
    "common": (),
    "errors": (),
    "assets": (),
    "__version__": (),
    "record": (),
}
"""The floors, from the highest down: what a layer may import besides itself, FOUNDATION as far as it is below, the
standard library and THIRD_PARTY. docs/architecture.md says the same."""

THIRD_PARTY: dict[str, tuple[str, ...]] = {
    "vpp": ("vpp_papi",),
    "linux": ("pyroute2",),
    "config": ("yaml", "yamale"),
    "entries": ("yaml", "netaddr"),
    "kinds": ("netaddr",),
    "startup": ("jinja2",),
    "common": ("ruamel",),
    "tune": ("jinja2",),
    "loadtest": ("jinja2", "zmq", "MLRsearch"),
    "transaction": ("cryptography",),
    "commandline": ("markdown_it",),
}
"""The only packages from outside that a layer may import."""

NAMELESS = {"utils", "util", "helpers", "helper", "base", "manager", "misc"}


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def nodes(module: Path) -> dict[type[ast.AST], list[Any]]:
    """Return every node of the syntax tree of a module by its class: one walk serves all that looks for some."""
    found: dict[type[ast.AST], list[Any]] = defaultdict(list)
    for node in ast.walk(trees()[module]):
        found[type(node)].append(node)
    return found


def name_of(module: Path) -> str:
    """Return a path as it stands in messages."""
    return str(module.relative_to(ROOT))


def layer_of(module: Path) -> str:
    """Return the layer of a module of the package.

    `python -m vppcfg` is part of the command, and so are the commands beside what they do, such as `cli/tune/`.
    """
    first, *below = module.relative_to(PACKAGE).with_suffix("").parts
    return "cli" if first == "__main__" or below[:1] == ["cli"] else first


@cache
def imports_of(module: Path) -> tuple[str, ...]:
    """Return the full name of everything that a module imports, inside functions too."""
    names: list[str] = []
    for node in nodes(module)[ast.Import]:
        names += [alias.name for alias in node.names]
    for node in nodes(module)[ast.ImportFrom]:
        assert node.level == 0, f"{module}:{node.lineno}: relative import"
        assert node.module is not None
        names += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(names)


def calls_in(module: Path) -> list[ast.Call]:
    """Return every call in a module."""
    return nodes(module)[ast.Call]


def is_within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def test_a_module_imports_only_what_its_layer_may() -> None:
    forbidden = [
        f"{name_of(module)} imports {name}"
        for module in trees()
        for name in imports_of(module)
        if is_within(name, "vppcfg") and not may_import(layer_of(module), name)
    ]
    assert forbidden == []


def may_import(layer: str, name: str) -> bool:
    """Return whether the modules of a layer may import this part of the package."""
    if layer == "__init__":
        return False
    below = list(LAYERS)[list(LAYERS).index(layer) :]
    allowed = LAYERS if layer == "cli" else (layer, *LAYERS[layer], *(each for each in FOUNDATION if each in below))
    return any(is_within(name, f"vppcfg.{other}") for other in allowed)


def test_each_layer_stands_on_those_below_it_alone() -> None:
    floors = list(LAYERS)
    assert [
        f"{layer} imports {other}"
        for layer, others in LAYERS.items()
        for other in others
        if layer != "cli" and floors.index(other) <= floors.index(layer)
    ] == []


LISTS_OF_KINDS = ("kind_list", "feature_list", "virtual_interface_list", "owned_list", "entry_keys", "interface_values")
IMPORTS_OF_KINDS = {
    "config": 20,
    "vpp": 26,
    "app": 7,
    "upgrade": 4,
    "plan": 3,
    "adopt": 1,
    "render": 1,
}
"""How many imports of a module of `kinds/` each other package has, beside the lists: shared code should know no single
kind. The numbers only fall."""


def test_shared_code_learns_no_further_kind() -> None:
    found = Counter(
        layer
        for module, imported in graph().items()
        if (layer := module.partition(".")[2].partition(".")[0]) not in ("kinds", "cli")
        for name in imported
        if is_within(name, "vppcfg.kinds") and name.split(".")[2:] not in [[each] for each in LISTS_OF_KINDS]
    )
    assert found == IMPORTS_OF_KINDS


def test_no_modules_import_each_other() -> None:
    """Not in circles either, and not inside functions: what a module needs can then be read, tested and moved alone."""
    assert list(circles_in(graph())) == []


def graph() -> dict[str, set[str]]:
    """Return the modules of the package, each with those that it imports."""
    modules = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in trees()
    }
    return {
        name: {imported if imported in modules else imported.rpartition(".")[0] for imported in imports_of(path)}
        & modules.keys() - {name}
        for name, path in modules.items()
    }


def circles_in(edges: dict[str, set[str]]) -> Iterator[frozenset[str]]:
    """Yield each group of modules that reach each other: what goes away when ends are cut off is in none."""
    left = dict(edges)
    while ends := {name for name, targets in left.items() if not targets & left.keys()} | (
        left.keys() - {target for targets in left.values() for target in targets}
    ):
        left = {name: targets - ends for name, targets in left.items() if name not in ends}
    while left:
        first = min(left)
        group = reached_from(first, left) & reached_from(first, reversed_edges(left))
        if len(group) > 1:
            yield frozenset(group)
        left = {name: targets - group for name, targets in left.items() if name not in group}


def reached_from(start: str, edges: dict[str, set[str]]) -> set[str]:
    seen, waiting = {start}, [start]
    while waiting:
        waiting += (new := edges[waiting.pop()] - seen)
        seen |= new
    return seen


def reversed_edges(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    return {name: {other for other, targets in edges.items() if name in targets} for name in edges}


def test_circles_are_found() -> None:
    edges = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"f", "a"}, "f": {"e"}}
    assert set(circles_in(edges)) == {frozenset("bc"), frozenset("ef")}


def test_a_module_imports_only_the_outside_packages_of_its_layer() -> None:
    known = set(sys.stdlib_module_names) | {"vppcfg"}
    forbidden = [
        f"{name_of(module)} imports {name}"
        for module in trees()
        for name in imports_of(module)
        if name.partition(".")[0] not in known | set(THIRD_PARTY.get(layer_of(module), ()))
    ]
    assert forbidden == []


def test_no_module_is_imported_by_a_computed_name() -> None:
    computed = [
        name_of(module)
        for module in trees()
        for node in (*nodes(module)[ast.Attribute], *nodes(module)[ast.Name])
        if getattr(node, "attr", getattr(node, "id", None)) in {"import_module", "__import__"}
    ]
    assert computed == []


def test_what_vppcfg_does_knows_nothing_of_the_command() -> None:
    """So that a program can do all of it without a command line."""
    forbidden = [
        f"{name_of(module)} imports {name}"
        for module in trees()
        if layer_of(module) != "cli"
        for name in imports_of(module)
        if {"cli"} & set(name.split(".")[1:3]) or (layer_of(module) in {"app", "api"} and is_within(name, "argparse"))
    ]
    assert forbidden == []


def test_only_the_command_prints() -> None:
    prints = [
        f"{name_of(module)}:{call.lineno}"
        for module in trees()
        if layer_of(module) != "cli"
        for call in calls_in(module)
        if isinstance(call.func, ast.Name) and call.func.id == "print"
    ]
    assert prints == []


@pytest.mark.parametrize("word", ["shell", "executable"])
def test_no_program_is_started_through_a_shell(word: str) -> None:
    calls = [
        f"{name_of(module)}:{call.lineno}"
        for module in trees()
        for call in calls_in(module)
        if word in {keyword.arg for keyword in call.keywords}
    ]
    assert calls == []


def test_nothing_reaches_a_shell_or_runs_text_as_code() -> None:
    """Records compile methods from the names of their fields, as dataclasses does."""
    forbidden = {f"os.{name}" for name in ("system", "popen", "execl", "execlp", "spawnl", "posix_spawn")}
    forbidden |= {"subprocess.getoutput", "subprocess.getstatusoutput", "eval", "exec", "pty.spawn"}
    used = [
        f"{name_of(module)}: {name}"
        for module in trees()
        for name in {ast.unparse(call.func) for call in calls_in(module)} | set(imports_of(module))
        if name in forbidden
    ]
    assert used == ["vppcfg/record.py: exec"]


def test_programs_are_started_in_few_places() -> None:
    """Each of them is listed in docs/security.md."""
    documented = (ROOT / "docs" / "security.md").read_text()
    starters = [module for module in trees() if any(is_within(name, "subprocess") for name in imports_of(module))]
    assert [name_of(module) for module in starters if name_of(module) not in documented] == []


def methods_called(name: str) -> list[str]:
    """Return the modules outside the simulator that call a method of this name."""
    return [
        name_of(module)
        for module in trees()
        for call in calls_in(module)
        if isinstance(call.func, ast.Attribute) and call.func.attr == name and layer_of(module) != "simulator"
    ]


def test_nothing_but_the_simulator_and_the_exporter_of_metrics_listens() -> None:
    assert methods_called("listen") == ["vppcfg/cli/sim.py"]
    assert set(methods_called("bind")) <= {
        "vppcfg/app/monitoring/exporter.py",
        "vppcfg/linux/host.py",
        "vppcfg/linux/wire.py",
        "vppcfg/loadtest/linux_port.py",
        "vppcfg/loadtest/trex/lease.py",
    }


def test_nothing_becomes_somebody_else() -> None:
    names = ("setuid", "seteuid", "setreuid", "setresuid", "setgid", "setegid", "setgroups", "initgroups")
    assert [module for name in names for module in methods_called(name)] == []


def test_temporary_files_have_names_that_nobody_knows() -> None:
    assert methods_called("mktemp") == []
    texts = [
        f"{name_of(module)}:{node.lineno}"
        for module in trees()
        for node in nodes(module)[ast.Constant]
        if isinstance(node.value, str) and node.value.startswith(("/tmp", "/var/tmp"))
    ]
    assert texts == []


def test_only_the_frame_of_the_command_catches_everything() -> None:
    """And a watch, which has to outlive a bug that a new content of its file meets, and what others add."""
    handlers = [
        name_of(module) for module in trees() for node in nodes(module)[ast.ExceptHandler] if catches_everything(node)
    ]
    assert handlers == ["vppcfg/app/watching/file.py", "vppcfg/cli/main.py", "vppcfg/common/extensions.py"]


def catches_everything(handler: ast.ExceptHandler) -> bool:
    """Return whether a handler swallows any error; one that tidies up and raises again does not."""
    if handler.type is None:
        return True
    names = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
    last = handler.body[-1]
    raises_again = isinstance(last, ast.Raise) and last.exc is None
    return "Exception" in names or ("BaseException" in names and not raises_again)


def test_a_module_is_named_for_what_it_does() -> None:
    parts = {part.removesuffix(".py") for module in trees() for part in module.relative_to(PACKAGE).parts}
    assert parts & NAMELESS == set()


def test_a_module_says_what_it_is_for() -> None:
    assert [name_of(module) for module, tree in trees().items() if tree.body and not ast.get_docstring(tree)] == []


def test_every_function_has_a_name() -> None:
    nameless = [
        f"{name_of(module)}:{node.lineno}"
        for module in trees()
        for node in nodes(module)[ast.FunctionDef]
        if node.name == "_"
    ]
    assert nameless == []


def test_a_name_of_a_class_means_one_thing() -> None:
    """The simulator is apart: it has names of its own for what VPP has."""
    homes: dict[str, list[str]] = {}
    for module in trees():
        if layer_of(module) != "simulator":
            for node in nodes(module)[ast.ClassDef]:
                homes.setdefault(node.name, []).append(name_of(module))
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def test_only_the_command_knows_of_command_lines() -> None:
    readers = {layer_of(module) for module in trees() if "argparse" in imports_of(module)}
    assert readers == {"cli", "commandline"}


def test_a_module_is_worth_opening() -> None:
    """Below 20 lines it belongs to a neighbour; the face of a package may be short."""
    short = [
        name_of(module)
        for module in trees()
        if len(module.read_text().splitlines()) < 20 and module.name not in {"__init__.py", "__main__.py", "assets.py"}
    ]
    assert short == []


LISTS = {
    "kinds/virtual_interface_list.py",
    "kinds/feature_list.py",
    "config/fleet/__init__.py",
    "model/interface.py",
    "model/features.py",
    "model/tunnel.py",
}
"""Where a kind of interface or of feature is entered; CONTRIBUTING.md and docs/architecture.md lead here."""
PROTOCOLS = ("common/packets.py", "probe/frame.py", "upgrade/notes.py")
PLUGINS = ("config/plugins.py", "upgrade/startup_changes.py")


@pytest.mark.parametrize(
    ("kind", "word", "elsewhere"),
    [
        # The numbers of IP protocols, what a packet of one is called, and a change of a release; MAC addresses of GRE
        # follow the order of its commands. Other plugins need its own, or what became one.
        ("gre", "gre|gremode", {*PROTOCOLS, "adopt/trial.py", "config/plugins.py"}),
        ("ipip", "ipip", {*PROTOCOLS, *PLUGINS}),
        # What VPP's tracer shows of a check, and counts, a source of routes in VPP, and a change of a release.
        ("urpf", "urpf", {"probe/filters.py", "tune/drop_reasons.py", "upgrade/notes.py", "vpp/messages/route.py"}),
        ("mss_clamp", "mss[_-]clamp|MssLimit|SetMssClamp", set()),
        (
            "wireguard",
            "wireguard",
            # Keys and peers have no like among the other kinds.
            {"entries/words.py", "render/impact_text.py", "transaction/key_file.py"},
        ),
        (
            "vxlan",
            "vxlan",
            # VXLAN-GPE, which is another kind, rules, examples in docstrings, a key of T-Rex, what VPP's tracer
            # prints of a tunnel, classes of drivers, the words of its command, and plugins that need its own.
            {
                *PLUGINS,
                *("entries/virtual_interface_section.py", "loadtest/trex/engine.py", "probe/trace.py"),
                *(
                    "adopt/unmanaged_interfaces.py",
                    "adopt/unmanaged_objects.py",
                    "startup/lint/dpdk.py",
                    "vpp/devclass.py",
                ),
                *("config/sections/interface.py", "kinds/wireguard/kind.py", "model/virtual_interface.py"),
                *("probe/frame.py", "adopt/command_targets.py"),
            },
        ),
    ],
)
def test_a_kind_is_known_to_its_own_modules_and_to_the_lists_alone(kind: str, word: str, elsewhere: set[str]) -> None:
    name = re.compile(rf"(?<![a-z])(?:{word})(?![a-z])", re.IGNORECASE)
    naming = {
        str(module.relative_to(PACKAGE))
        for module in trees()
        if kind not in (module.stem, module.parent.name)
        and layer_of(module) != "simulator"
        and name.search(module.read_text())
    }
    assert naming - LISTS == elsewhere


def test_every_layer_of_the_code_is_in_the_table() -> None:
    present = {layer_of(module) for module in trees()} - {"__init__"}
    assert present - set(LAYERS) == set()


def test_the_architecture_document_has_the_same_table() -> None:
    rows = [line.split("|")[1:-1] for line in (ROOT / "docs" / "architecture.md").read_text().splitlines()]
    cells = [[cell.strip() for cell in row] for row in rows if len(row) == 3]
    start = cells.index(["layer", "may import", "from outside"]) + 2
    documented = {layer: (may_import, outside) for layer, may_import, outside in cells[start : start + len(LAYERS)]}
    assert documented == {
        layer: (", ".join(may_import), ", ".join(THIRD_PARTY.get(layer, ()))) for layer, may_import in LAYERS.items()
    }


def test_the_architecture_document_names_every_package() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    documented = re.findall(r"^\| `vppcfg/([a-z_]+)(?:/|\.py)` \|", text, re.MULTILINE)
    assert sorted(documented) == sorted({layer_of(module) for module in trees()} - {"__init__", "__main__"})
