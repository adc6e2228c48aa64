"""What `vppcfg startup check` says of files like those of real routers: each NAME.conf has its output in NAME.txt.

The first line of a file has the options, and names a machine of tests/hosts with `--machine`. To write what comes out
into the texts: `pytest --update-startup tests/golden_startup tests/golden_startup_check`, and read the difference.
"""

from pathlib import Path

import pytest

from tests.hosts.trees import grow
from vppcfg.cli.main import main
from vppcfg.config.explain import explanations

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.conf"))
FIRST = "# judged with:"


def options_of(file: Path, tmp_path: Path) -> list[str]:
    """Return the options that the first line of a file names, with the machine grown."""
    first = file.read_text().splitlines()[0]
    assert first.startswith(FIRST)
    words = first.removeprefix(FIRST).split()
    if "--machine" not in words:
        return words
    place = words.index("--machine")
    tree = grow(words[place + 1], tmp_path)
    (tree / "var/log/vpp").mkdir(parents=True)
    return [*words[:place], "--root", str(tree), *words[place + 2 :]]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_is_said_is_what_the_text_has(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    options = options_of(file, tmp_path)
    code = main(["startup", "check", str(file), *options])
    shown = capsys.readouterr().out.replace(f"{file}:", f"{file.name}:") + f"exit {int(code)}\n"
    expected = file.with_suffix(".txt")
    if request.config.getoption("--update-startup", default=False):
        expected.write_text(shown)
    assert shown == expected.read_text()


def test_every_rule_of_startup_conf_has_a_file() -> None:
    found = "".join(path.read_text() for path in HERE.glob("*.txt"))
    rules = {rule for rule, explanation in explanations().items() if explanation.is_of_startup_conf}
    assert {rule for rule in rules if f"[{rule}]" not in found} == {"conf-too-large"}, "tests/golden_startup has it"
