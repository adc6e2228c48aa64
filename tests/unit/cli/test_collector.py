"""Garbage is looked for rarely while a command runs, and as before afterwards."""

from __future__ import annotations

import gc

from vppcfg.cli.collector import rare_collections


def test_collections_are_rare_within_the_context_only() -> None:
    former = gc.get_threshold()
    with rare_collections():
        assert gc.get_threshold() > former
        before = sum(generation["collections"] for generation in gc.get_stats())
        kept = [[] for _ in range(5_000)]  # type: ignore[var-annotated]
        assert sum(generation["collections"] for generation in gc.get_stats()) <= before + 1
        assert len(kept) == 5_000
    assert gc.get_threshold() == former
