"""Packets as proof: what a file requires VPP to do with a frame, and whether it did. Pure functions."""
