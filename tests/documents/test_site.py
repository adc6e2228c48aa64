"""The site and the README's picture, without building the one; `make site` does, and checks every link."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.documents.conftest import ROOT
from tools.picture import SEQUENCE, session, svg_of

CONF: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "conf.py"))


def listed(page: str) -> list[Path]:
    """Return the pages that the lists of a page lead to."""
    text = (ROOT / f"{page}.md").read_text(encoding="utf-8")
    found = [target for pages in CONF["navigation"](text).values() for _, target in pages]
    return [((ROOT / page).parent / f"{target}.md").resolve() for target in found]


def test_every_document_is_in_the_navigation_once() -> None:
    documents = {ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")}
    found = [path for page in CONF["LISTS"] for path in listed(page)]
    assert sorted(found) == sorted(documents - {ROOT / "docs" / "index.md"})


def test_a_table_of_contents_is_made_of_each_list() -> None:
    text = "# A\n\n## One\n\n- [a](a.md): what\n- [b c](../B.md)\n\n## Two\n\nNothing.\n"
    made = CONF["with_tables_of_contents"](text, "docs/index")
    assert made == text + (
        "\n\n```{toctree}\n:hidden:\n:caption: One\n\na </docs/a>\nb c </B>\n```\n"
    )  # fmt: skip


def test_the_readme_leads_to_every_document_that_the_site_begins_with() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    linked = {(ROOT / link).resolve() for link in re.findall(r"\]\(([^)#]+)\)", readme)}
    assert sorted(set(listed("docs/index")) - linked) == []


def test_the_readme_is_short() -> None:
    assert (ROOT / "README.md").read_text(encoding="utf-8").count("\n") <= 200


@pytest.mark.slow
def test_the_picture_shows_what_the_commands_print(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", environment["PATH"])
    times = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
    shown = session(str(ROOT / "docs" / "picture.sh"))
    drawn = (ROOT / "docs" / "session.svg").read_text(encoding="utf-8")
    (title,) = re.findall(r"<title>(.*)</title>", drawn)
    assert times.sub("", svg_of(shown, title)) == times.sub("", drawn), "run `make picture`"


def test_a_picture_keeps_colours_and_letters() -> None:
    drawn = svg_of("$ a <b>\n\x1b[32m+ c & d\x1b[0m\n\x1b[1;33mx\x1b[0m y\n", "t")
    assert '<tspan class="command">a &lt;b&gt;</tspan>' in drawn
    assert '<tspan class="green">+ c &amp; d</tspan>' in drawn
    assert '<tspan class="bold yellow">x</tspan> y' in drawn
    assert not SEQUENCE.search(drawn) and "http" not in drawn.replace("http://www.w3.org/2000/svg", "")


def test_a_session_that_fails_says_how(tmp_path: Path) -> None:
    script = tmp_path / "fails.sh"
    script.write_text("#!/bin/bash\necho because\nexit 3\n")
    script.chmod(0o755)
    with pytest.raises(OSError, match=r"exit code 3:\nbecause"):
        session(str(script))
