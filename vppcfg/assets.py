"""Finds the data files that come with vppcfg: schema/ and templates/. It opens none of them."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def find(name: str) -> Path:
    """Return the path of a data file such as `schema/vppcfg.yaml`, installed or in a checkout.

    The package's own directory, where an installation has them, goes before the one above it.
    Raise FileNotFoundError when the file is in neither: the installation is damaged.
    """
    for root in (_PACKAGE, _PACKAGE.parent):
        if (path := root / name).is_file():
            return path
    raise FileNotFoundError(f"{name} is missing from this installation of vppcfg")
