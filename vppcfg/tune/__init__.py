"""Names the bottleneck of a dataplane from the counters of a VPP, and proposes changes with their expected effect."""
