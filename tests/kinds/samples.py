"""Sample configurations of every kind: a file per kind, `KEY.yaml`, that the laws over kinds go through.

The first document of a file is what all samples of the kind have in common; each other one is a sample, laid over it.
Two samples that follow each other differ in as few keys as they can.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from vppcfg.record import record

FOLDER = Path(__file__).parent


@record
class Samples:
    """The configurations of one kind, as data."""

    key: str
    context: dict[str, Any]
    """What all of them have in common: itself a configuration, without anything of the kind."""
    configurations: tuple[dict[str, Any], ...]


def samples_of(key: str) -> Samples:
    """Return the samples of a kind. Raise FileNotFoundError where it has none."""
    context, *others = yaml.safe_load_all((FOLDER / f"{key}.yaml").read_text(encoding="utf-8"))
    return Samples(key=key, context=context, configurations=tuple(_laid_over(context, each) for each in others))


@cache
def all_samples() -> Sequence[Samples]:
    """Return the samples of every kind that has a file of them."""
    return [samples_of(file.stem) for file in sorted(FOLDER.glob("*.yaml"))]


def _laid_over(below: Any, above: Any) -> Any:
    if not isinstance(below, dict) or not isinstance(above, dict):
        return above
    return {**below, **{key: _laid_over(below.get(key), value) for key, value in above.items()}}
