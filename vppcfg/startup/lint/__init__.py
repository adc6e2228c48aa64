"""Checks any startup.conf: its syntax, words and consistency, the machine, and VPP's defaults."""
