"""A VPP that was set up by hand, by a script or by another tool, to one configuration whose plan is empty."""
