"""Applies a plan to a dataplane, real or simulated: lock, journal, verification, undo."""
