"""Builds the package: everything is declared in pyproject.toml but for schema/ and templates/.

They stand beside the package in a checkout and inside it once installed, where vppcfg/assets.py looks first.
"""

from __future__ import annotations

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
ASSETS = ("schema/*.yaml", "templates/*.j2")


def asset_files() -> list[str]:
    """Return the data files of a checkout, relative to it."""
    return [str(path.relative_to(ROOT)) for pattern in ASSETS for path in sorted(ROOT.glob(pattern))]


class BuildWithAssets(build_py):
    """Puts the data files into the built package; an editable install reads them from the checkout."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        for name in asset_files():
            target = Path(self.build_lib, "vppcfg", name)
            self.mkpath(str(target.parent))
            self.copy_file(str(ROOT / name), str(target))


class SourceWithAssets(sdist):
    """Puts the data files into the source distribution."""

    def add_defaults(self) -> None:
        super().add_defaults()
        self.filelist.extend(asset_files())


setup(cmdclass={"build_py": BuildWithAssets, "sdist": SourceWithAssets})
