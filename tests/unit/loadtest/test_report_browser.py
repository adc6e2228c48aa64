"""Report pages in a real browser, wide and narrow: they fit, scripts run, images can be saved."""

import base64
import json
import os
import re
import shutil
import struct
import subprocess
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.unit.loadtest.test_report import EVERYTHING
from vppcfg.loadtest.report.page import page_of

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(BROWSER is None, reason="there is no Chromium to open pages in")]
MEASURE = """
<script>
const problems = [];
window.addEventListener("error", (event) => problems.push(event.message));
const saved = [];
HTMLAnchorElement.prototype.click = function () { saved.push([this.download, this.href]); };
window.addEventListener("load", () => {
  const is_shown = (e) => e.getBoundingClientRect().width > 0;
  const shown = (name) => [...document.querySelectorAll(name)].filter(is_shown).length;
  const boxes = [...document.querySelectorAll("h1, h2, figure, dl, p, table.runs")];
  const measure = {
    inner: window.innerWidth, whole: document.documentElement.scrollWidth,
    wide: shown(".wide svg"), narrow: shown(".narrow svg"),
    beyond: boxes.filter((e) => e.getBoundingClientRect().right > window.innerWidth + 1).map((e) => e.tagName),
    least: Math.min(...[...document.querySelectorAll("svg")].filter(is_shown)
      .map((e) => 12 * e.getBoundingClientRect().width / e.viewBox.baseVal.width)),
  };
  for (const button of document.querySelector("figure").querySelectorAll("button")) { button.click(); }
  setTimeout(() => {
    window.parent.postMessage(JSON.stringify({...measure, saved, problems}), "*");
  }, 500);
});
</script>
"""
FRAME = """<!doctype html><body><iframe width="{width}" height="1600" style="border: 0" src="page.html"></iframe>
<script>
window.addEventListener("message", (event) => {{
  const note = document.createElement("pre");
  note.id = "measured";
  note.textContent = event.data;
  document.body.append(note);
}});
</script>"""
"""A window has a least width; a frame in it has not."""


def opened(folder: Path, width: int) -> dict[str, Any]:
    """Open a page with runs of every kind, `width` pixels wide, and return what its elements measure."""
    page = folder / "page.html"
    page.write_text(page_of(EVERYTHING, "Load tests").replace("<body>", "<body>" + MEASURE))
    frame = folder / f"frame-{width}.html"
    frame.write_text(FRAME.format(width=width))
    shown = run(folder, 1400, "--dump-dom", "--virtual-time-budget=4000", frame.as_uri())
    found = re.search(r'<pre id="measured">(.*?)</pre>', shown, re.DOTALL)
    assert found is not None, shown[-2000:]
    measured: dict[str, Any] = json.loads(unescape(found[1]))
    return measured


def run(folder: Path, width: int, *words: str) -> str:
    assert BROWSER is not None
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={width},1600"]
    environment = {**os.environ, "HOME": str(folder)}
    done = subprocess.run(
        [BROWSER, *options, f"--user-data-dir={folder}/profile", *words],
        capture_output=True, text=True, check=True, timeout=120, env=environment,
    )  # fmt: skip
    return done.stdout


@cache
def _measured(folder: Path, width: int) -> dict[str, Any]:
    return opened(folder, width)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("browser")


@pytest.mark.parametrize("width", [1280, 400])
def test_a_page_fits_the_screen_and_its_scripts_run(folder: Path, width: int) -> None:
    measured = _measured(folder, width)
    assert measured["inner"] == width
    assert measured["problems"] == []
    assert measured["beyond"] == []
    assert measured["whole"] <= width


@pytest.mark.parametrize(("width", "kind"), [(1280, "wide"), (400, "narrow")])
def test_a_screen_shows_the_graphs_that_were_drawn_for_it_at_a_size_that_can_be_read(
    folder: Path, width: int, kind: str
) -> None:
    measured = _measured(folder, width)
    graphs = page_of(EVERYTHING, "Load tests").count("<figure")
    assert (measured[kind], measured["wide"] + measured["narrow"]) == (graphs, graphs)
    assert measured["least"] >= 11


@pytest.mark.parametrize("width", [1280, 400])
def test_a_graph_is_saved_as_svg_and_as_an_image_of_twice_its_size(folder: Path, width: int) -> None:
    (svg_name, svg), (png_name, png) = _measured(folder, width)["saved"]
    assert (svg_name, png_name) == ("packets-per-second-bench-64-var2.svg", "packets-per-second-bench-64-var2.png")
    assert svg.startswith("data:image/svg+xml;charset=utf-8,%3Csvg")
    data = base64.b64decode(png.removeprefix("data:image/png;base64,"))
    assert data.startswith(b"\x89PNG")
    assert struct.unpack(">I", data[16:20])[0] == 2 * 1080


@pytest.mark.parametrize("width", [1280, 400])
def test_a_page_is_not_blank(folder: Path, width: int) -> None:
    page, image = folder / "page.html", folder / f"shot-{width}.png"
    page.write_text(page_of(EVERYTHING, "Load tests"))
    run(folder, width, f"--screenshot={image}", page.as_uri())
    assert image.stat().st_size > 20_000
