"""VPP's messages as bytes, and how they are read."""
