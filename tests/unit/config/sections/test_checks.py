"""The section `checks`: all that is wrong with a check is reported at once, in its order."""

from vppcfg.config.load import parse_text


def test_each_key_that_a_kind_of_check_lacks_is_reported() -> None:
    text = "interfaces: {}\nchecks:\n  - { command: [ sh ], vrf: red, interface: e0, from: 192.0.2.1, within: 1h }\n"
    problems = [problem for problem in parse_text(text, "file").problems if problem.path[:1] == ("checks",)]
    assert [problem.path[2:] for problem in problems] == [("vrf",), ("interface",), ("from",), ("within",)]
