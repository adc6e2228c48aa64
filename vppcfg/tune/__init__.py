"""Names the bottleneck of a dataplane: counters of a VPP in, findings with proposals and their expected effect out."""
