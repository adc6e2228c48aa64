"""The `unmanaged` list against the interfaces of the file."""

import pytest

from vppcfg.config.load import parse_text


@pytest.mark.parametrize(
    ("pattern", "covered"),
    [
        *(("eth0", "eth0"), ("eth0.100", "eth0.100"), ("eth0.*", "eth0.100"), ("eth[0-9]", "eth0"), ("*", "eth0")),
        *(("?th0", "eth0"), ("eth1", None), ("eth0.1", None), ("eth0.2*", None), ("ETH0", None), ("eth", None)),
        *(("th0", None), ("eth[!0]", None), ("eth[0", None), ("bd*", None), ("acl:x", None)),
    ],
)
def test_a_pattern_must_not_cover_what_is_configured(pattern: str, covered: str | None) -> None:
    text = f"interfaces: {{eth0: {{sub-interfaces: {{100: {{state: up}}}}}}}}\nunmanaged: [loop*, '{pattern}']"
    problems = parse_text(text, "test").problems
    assert [(problem.rule, problem.path) for problem in problems] == (
        [("unmanaged-configured", ("unmanaged", 1))] if covered else []
    )
    assert all(f"covers {covered}," in problem.text for problem in problems)
