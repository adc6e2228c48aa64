"""Tags that mark objects as ours, and the globs that exclude others."""

import pytest

from vppcfg.model.ownership import NameGlobs, description_of, is_foreign, is_ours, tag_for


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


@pytest.mark.parametrize("tag", ["vppcfg", "vppcfg uplink", "vppcfg "])
def test_our_mark_is_recognised(tag: str) -> None:
    assert is_ours(tag)
    assert not is_foreign(tag)


@pytest.mark.parametrize("tag", ["vppcfg-lab", "vppcfgx", "Vppcfg", "other"])
def test_other_tags_are_somebody_elses(tag: str) -> None:
    assert is_foreign(tag)
    assert not is_ours(tag)


def test_an_untagged_object_is_neither_ours_nor_foreign() -> None:
    assert not is_ours("")
    assert not is_foreign("")


@pytest.mark.parametrize(
    ("tag", "description"), [("vppcfg", ""), ("vppcfg my uplink", "my uplink"), ("vppcfg-lab", "")]
)
def test_the_description_is_read_back(tag: str, description: str) -> None:
    assert description_of(tag) == description


def test_globs_match_whole_names_and_mind_their_case() -> None:
    globs = NameGlobs(["Gig*", "memif0/[01]", "tap0"])
    names = ["GigabitEthernet1/0/0", "memif0/1", "memif0/2", "tap0", "tap01", "gigabit"]
    assert [name for name in names if globs.matches(name)] == ["GigabitEthernet1/0/0", "memif0/1", "tap0"]
