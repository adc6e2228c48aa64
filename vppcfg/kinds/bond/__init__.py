"""Bonds and their members; `kind` brings the modules together."""
