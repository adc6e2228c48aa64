"""Pairs of the Linux Control Plane: an interface and the Linux device that mirrors it."""
