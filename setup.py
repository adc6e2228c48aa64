"""Builds the package: everything is declared in pyproject.toml but for schema/ and templates/.

They stand beside the package in a checkout and inside it once installed, where vppcfg/assets.py looks first.
"""

from __future__ import annotations

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
ASSETS = ("schema/*.yaml", "schema/*.json", "schema/*.txt", "templates/*.j2")


class BuildWithAssets(build_py):
    """Puts the data files into the built package; an editable install reads them from the checkout."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        for source in sorted(path for pattern in ASSETS for path in ROOT.glob(pattern)):
            target = Path(self.build_lib, "vppcfg", source.relative_to(ROOT))
            self.mkpath(str(target.parent))
            self.copy_file(str(source), str(target))


setup(cmdclass={"build_py": BuildWithAssets})
