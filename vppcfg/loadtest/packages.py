"""The Python packages that only load tests need: the extra `loadtest`, which a plain installation lacks."""

from __future__ import annotations

from importlib.util import find_spec

from vppcfg.errors import EngineError

_MISSING = {
    "zmq": (
        "T-Rex is reached by the Python package pyzmq, which is not installed",
        "on Debian and Ubuntu: apt install python3-zmq; with pip: pip install 'vppcfg[loadtest]'; with pipx: pipx "
        "inject vppcfg pyzmq",
    ),
    "MLRsearch": (
        "a search needs the Python package MLRsearch, which is not installed",
        "with pip: pip install 'vppcfg[loadtest]'; with pipx: pipx inject vppcfg MLRsearch; `vppcfg loadtest ramp` "
        "works without it",
    ),
}
"""By the module that is imported: what is wrong, and what to do."""


def require(module: str) -> None:
    """Raise EngineError when a module of the extra cannot be imported; nothing is imported here."""
    if find_spec(module) is None:
        raise EngineError(*_MISSING[module])
