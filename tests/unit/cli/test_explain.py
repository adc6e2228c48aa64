"""`vppcfg explain`: one rule, all rules, no such rule."""

import pytest

from vppcfg.cli.main import main
from vppcfg.config.explain import as_text, explain, explanations
from vppcfg.errors import ExitCode


def test_a_rule_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "l2xc-target-missing"]) == ExitCode.DONE
    assert capsys.readouterr().out == as_text(explain("l2xc-target-missing"))


def test_without_a_rule_all_are_listed_with_their_titles(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == ExitCode.DONE
    listed = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert listed == [[rule, explanation.title] for rule, explanation in explanations().items()]


def test_a_rule_that_does_not_exist_exits_3_with_the_most_similar_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "l2xc-target-mising"]) == ExitCode.INVALID
    assert "l2xc-target-missing" in capsys.readouterr().err
