"""Writes the manual pages from the parsers and from docs/, when a package is built."""
