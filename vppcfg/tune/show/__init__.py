"""Parsers of what VPP 20.x to 26.x prints: by tokens and never by column, for spacing gets lost and columns shift.

Each takes a text and returns what it understood and the lines that it did not.
"""
