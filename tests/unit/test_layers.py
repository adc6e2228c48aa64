"""The architecture, held against the code: who may import whom, and what may stand where."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "vppcfg"

EVERYTHING = "everything"
LAYERS: dict[str, tuple[str, ...]] = {
    "cli": (EVERYTHING,),
    "transaction": ("model", "common", "plan", "dataplane", "errors"),
    "router": ("model", "common", "plan.operations", "dataplane", "errors"),
    "vpp": ("model", "common", "plan.operations", "dataplane", "errors"),
    "simulator": ("model", "common", "errors"),
    "linux": ("model", "common", "errors"),
    "render": ("plan", "model", "common"),
    "host": ("model", "common"),
    "plan": ("model", "common", "errors", "assets"),
    "config": ("model", "common", "errors", "assets"),
    "startup": ("model", "common", "errors", "assets"),
    "tune": ("model", "common", "errors", "assets"),
    "commandline": ("errors",),
    "loadtest": ("model", "common", "linux", "errors", "assets", "tune.linerate", "tune.figures", "tune.plots"),
    "dataplane": ("model", "common", "plan.operations"),
    "model": ("common",),
    "common": (),
    "errors": (),
    "assets": (),
    "record": (),
}
"""What a layer may import besides itself, `record`, the standard library and THIRD_PARTY; docs/architecture.md says the
same."""

THIRD_PARTY: dict[str, tuple[str, ...]] = {
    "vpp": ("vpp_papi",),
    "linux": ("pyroute2",),
    "config": ("yaml", "yamale", "netaddr"),
    "startup": ("jinja2",),
    "tune": ("jinja2", "ruamel"),
    "loadtest": ("jinja2", "zmq", "MLRsearch"),
    "commandline": ("markdown_it",),
}
"""The only packages from outside that a layer may import."""

NAMELESS = {"utils", "util", "helpers", "helper", "base", "manager", "misc"}
MODULES = sorted(PACKAGE.rglob("*.py"))
every_module = pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))


def layer_of(module: Path) -> str:
    """Return the layer of a module of the package; `python -m vppcfg` is part of the command."""
    first = module.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "cli" if first == "__main__" else first


def imports_of(module: Path) -> Iterator[str]:
    """Yield the full name of everything that a module imports, inside functions too."""
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno}: relative import"
            assert node.module is not None
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


@every_module
def test_a_module_imports_only_what_its_layer_may(module: Path) -> None:
    layer = layer_of(module)
    if layer == "__init__":
        assert list(imports_of(module)) == []
        return
    ours = [name for name in imports_of(module) if is_within(name, "vppcfg")]
    allowed = [f"vppcfg.{name}" for name in (layer, "record", *LAYERS[layer])]
    forbidden = [name for name in ours if not any(is_within(name, package) for package in allowed)]
    assert forbidden == [] or LAYERS[layer] == (EVERYTHING,)


@every_module
def test_a_module_imports_only_the_outside_packages_of_its_layer(module: Path) -> None:
    outside = {name.partition(".")[0] for name in imports_of(module)} - set(sys.stdlib_module_names) - {"vppcfg"}
    assert outside - set(THIRD_PARTY.get(layer_of(module), ())) == set()


@every_module
def test_no_module_is_imported_by_a_computed_name(module: Path) -> None:
    names = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, (ast.Attribute, ast.Name))
    }
    assert names.isdisjoint({"import_module", "__import__"})


@every_module
def test_only_the_command_prints(module: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(module.read_text())) if isinstance(node, ast.Call)]
    prints = [call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"]
    assert prints == [] or layer_of(module) == "cli"


@every_module
def test_nothing_reaches_a_shell(module: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(module.read_text())) if isinstance(node, ast.Call)]
    assert {keyword.arg for call in calls for keyword in call.keywords}.isdisjoint({"shell", "executable"})
    names = {name for name in imports_of(module) if name.startswith(("os.", "subprocess."))}
    called = {ast.unparse(call.func) for call in calls} | names
    assert called.isdisjoint({f"os.{name}" for name in ("system", "popen", "execl", "execlp", "spawnl", "posix_spawn")})
    assert called.isdisjoint({"subprocess.getoutput", "subprocess.getstatusoutput", "eval", "exec", "pty.spawn"})


@every_module
def test_programs_are_started_in_few_places(module: Path) -> None:
    """Each of them is listed in docs/security.md."""
    starts = {"subprocess"} & {name.partition(".")[0] for name in imports_of(module)}
    assert not starts or str(module.relative_to(ROOT)) in (ROOT / "docs" / "security.md").read_text()


@every_module
def test_only_the_frame_of_the_command_catches_everything(module: Path) -> None:
    caught = [handler.lineno for handler in handlers_of(module) if catches_everything(handler)]
    assert len(caught) == (1 if module == PACKAGE / "cli" / "main.py" else 0)


def handlers_of(module: Path) -> Iterator[ast.ExceptHandler]:
    return (node for node in ast.walk(ast.parse(module.read_text())) if isinstance(node, ast.ExceptHandler))


def catches_everything(handler: ast.ExceptHandler) -> bool:
    """Return whether a handler swallows any error; one that tidies up and raises again does not."""
    if handler.type is None:
        return True
    names = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
    last = handler.body[-1]
    raises_again = isinstance(last, ast.Raise) and last.exc is None
    return "Exception" in names or ("BaseException" in names and not raises_again)


@every_module
def test_a_module_is_named_for_what_it_does(module: Path) -> None:
    assert NAMELESS.isdisjoint({part.removesuffix(".py") for part in module.relative_to(PACKAGE).parts})


@every_module
def test_a_module_says_what_it_is_for(module: Path) -> None:
    tree = ast.parse(module.read_text())
    assert ast.get_docstring(tree) or not tree.body


def test_every_layer_of_the_code_is_in_the_table() -> None:
    present = {layer_of(module) for module in MODULES} - {"__init__"}
    assert present - set(LAYERS) == set()


def test_the_architecture_document_has_the_same_table() -> None:
    rows = [line.split("|")[1:-1] for line in (ROOT / "docs" / "architecture.md").read_text().splitlines()]
    cells = [[cell.strip() for cell in row] for row in rows if len(row) == 3]
    start = cells.index(["layer", "may import", "from outside"]) + 2
    documented = {layer: (may_import, outside) for layer, may_import, outside in cells[start : start + len(LAYERS)]}
    assert documented == {
        layer: (", ".join(may_import) or "nothing", ", ".join(THIRD_PARTY.get(layer, ())) or "nothing")
        for layer, may_import in LAYERS.items()
    }
