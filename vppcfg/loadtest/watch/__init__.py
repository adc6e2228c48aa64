"""A steady stream of probes: round-trip time, jitter and loss over time."""
