"""Reads what this machine has from /proc and /sys, below a root that the caller names. It changes nothing."""
