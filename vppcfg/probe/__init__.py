"""Packets as proof: what a file says VPP must do with a frame, and whether it did. Pure functions, without a socket."""
