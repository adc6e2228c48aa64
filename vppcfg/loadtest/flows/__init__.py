"""TCP through a router over several flows, one per core of it: goodput summed, load per core recorded."""
