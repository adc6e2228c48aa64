"""Walks the golden folders: config.yaml, whose first line names a machine and a release, and perhaps existing.conf.

Out come problems.txt and, when nothing forbids it, startup.conf, kernel.cfg, sysctl.conf and explain.txt; with
existing.conf also diff.txt, and startup.conf is an update of it. `pytest tests/golden_startup --update-startup`
rewrites them.
"""

import re
from pathlib import Path

from tests.hosts.trees import MACHINES, host_named
from vppcfg.cli.startup import explained
from vppcfg.cli.startup_files import _difference
from vppcfg.common.release import Release, release_of
from vppcfg.config.explain import explanations
from vppcfg.config.load import load
from vppcfg.model.host import Host
from vppcfg.model.problem import Problem, Severity
from vppcfg.startup.checks import check
from vppcfg.startup.checks.case import Case
from vppcfg.startup.conf.plugin_review import lost_plugins
from vppcfg.startup.conf.reader import read_conf
from vppcfg.startup.conf.review import review
from vppcfg.startup.conf.tree import conf_text, kept_stanzas, update
from vppcfg.startup.derive import derive
from vppcfg.startup.file_difference import compare
from vppcfg.startup.files import KERNEL_LINE, STARTUP_CONF, SYSCTL_CONF, conf_of, render
from vppcfg.startup.settings import Settings

GOLDEN = Path(__file__).parent
FIRST_LINE = re.compile(r"# (\w+), VPP (\d\d\.\d\d)(?:: .*)?\n")
FILES = ("startup.conf", "kernel.cfg", "sysctl.conf", "explain.txt", "diff.txt")


def test_what_comes_out_is_what_the_folder_says(case: Path, is_updating: bool) -> None:
    for name, text in outputs(case).items():
        file = case / name
        if is_updating:
            file.write_text(text) if text else file.unlink(missing_ok=True)
        assert (file.read_text() if file.exists() else "") == text


def outputs(case: Path) -> dict[str, str]:
    host, release = machine_of(case)
    loaded = load(str(case / "config.yaml"))
    empty = dict.fromkeys(FILES, "")
    if loaded.configuration is None:
        return {**empty, "problems.txt": text_of(loaded.problems)}
    settings = derive(loaded.configuration, host, release)
    found = loaded.placed(check(Case(configuration=loaded.configuration, host=host, settings=settings)))
    problems = (*loaded.problems, *found)
    if any(problem.severity is Severity.ERROR for problem in problems):
        return {**empty, "problems.txt": text_of(problems)}
    texts = render(settings)
    final, diff, existing_problems = updated(case, texts[STARTUP_CONF], settings)
    return {
        "problems.txt": text_of(problems) + text_of(existing_problems),
        "startup.conf": final,
        "diff.txt": diff,
        "kernel.cfg": texts[KERNEL_LINE],
        "sysctl.conf": texts[SYSCTL_CONF],
        "explain.txt": explained(settings, texts),
    }


def machine_of(case: Path) -> tuple[Host, Release]:
    match = FIRST_LINE.match((case / "config.yaml").read_text())
    assert match is not None, "the first line names no machine and release"
    return host_named(match[1]), release_of(match[2])


def updated(case: Path, text: str, settings: Settings) -> tuple[str, str, list[Problem]]:
    path = case / "existing.conf"
    generated = conf_of(text, settings)
    if not path.exists():
        return text, "", []
    existing = path.read_text()
    tree, problems = read_conf(existing, settings.release)
    kept = kept_stanzas(tree, generated)
    found = [*problems, *review(tree, settings.release), *lost_plugins(tree, kept, settings.plugins)]
    if any(problem.severity.value == "error" for problem in found):
        return "", "", found
    final = conf_text(update(tree, generated))
    change = compare(STARTUP_CONF, existing, final, settings.release)
    return final, "".join(f"{_difference(one)}\n" for one in change.differences), found


def text_of(problems: tuple[Problem, ...] | list[Problem]) -> str:
    return "".join(
        f"{problem.line}:{problem.column}: {problem.severity.value}: {problem.text} [{problem.rule}]\n"
        for problem in problems
    )


def test_an_update_of_what_came_out_changes_nothing(case: Path) -> None:
    path = case / "startup.conf"
    if not path.exists():
        return
    host, release = machine_of(case)
    configuration = load(str(case / "config.yaml")).configuration
    assert configuration is not None
    settings = derive(configuration, host, release)
    tree, problems = read_conf(path.read_text(), release)
    assert problems == ()
    assert review(tree, release) == []
    assert conf_text(update(tree, conf_of(render(settings)[STARTUP_CONF], settings))) == path.read_text()


def test_every_machine_has_cases() -> None:
    used = {FIRST_LINE.match(path.read_text())[1] for path in GOLDEN.glob("*/config.yaml")}  # type: ignore[index]
    assert used == set(MACHINES)


def test_every_rule_that_looks_at_the_machine_has_a_case() -> None:
    found = "".join(path.read_text() for path in GOLDEN.glob("*/problems.txt"))
    rules = [rule for rule, explanation in explanations().items() if explanation.needs_machine]
    assert [rule for rule in rules if f"[{rule}]" not in found] == []
