"""Fixtures of the chaos suite."""

from __future__ import annotations

from tests.chaos.router import with_linux

__all__ = ["with_linux"]
