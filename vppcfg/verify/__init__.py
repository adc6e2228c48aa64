"""What Linux has on the devices of LCP pairs held against what VPP forwards by: pure functions, without a socket."""
