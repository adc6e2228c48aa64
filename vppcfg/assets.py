"""Finds the data files that come with vppcfg: schema/ and templates/. It opens none of them."""

from __future__ import annotations

from pathlib import Path

from vppcfg.errors import VppcfgError

_PACKAGE = Path(__file__).resolve().parent


def find(name: str) -> Path:
    """Return the path of a data file such as `schema/vppcfg.yaml`, installed or in a checkout.

    The package's own directory, where an installation has them, goes before the one above it.
    Raise VppcfgError when the file is in neither.
    """
    for root in (_PACKAGE, _PACKAGE.parent):
        if (path := root / name).is_file():
            return path
    raise VppcfgError(f"{name} is missing from the installation", "install vppcfg again")
