"""Tags that mark objects as ours, and the globs that exclude others."""

import pytest

from vppcfg.model.ownership import tag_for


@pytest.mark.parametrize(
    ("description", "tag"),
    [
        (None, "vppcfg"),
        ("", "vppcfg"),
        ("uplink", "vppcfg uplink"),
        ("a {b} $c #d \\e \x01", "vppcfg a _b_ _c _d _e _"),
        ("x" * 64, "vppcfg " + "x" * 56),
        ("é" * 40, "vppcfg " + "é" * 28),
    ],
)
def test_a_description_becomes_a_tag_of_at_most_63_bytes(description: str | None, tag: str) -> None:
    assert tag_for(description) == tag
    assert len(tag.encode()) <= 63
