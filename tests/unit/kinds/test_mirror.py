"""Rules about mirroring."""

from vppcfg.config.load import parse_text


def rules_in(text: str) -> list[str]:
    return [problem.rule for problem in parse_text(text, "file").to_act_on]


def test_a_loopback_has_no_mirror() -> None:
    assert rules_in("interfaces: {a: {}}\nloopbacks: {loop0: {mirror: {a: both}}}") != []
