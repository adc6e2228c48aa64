"""Monitors a running router: reads it again and again at the least cost to it, and serves what it read."""
