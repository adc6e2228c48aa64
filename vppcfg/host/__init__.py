"""The machine under us: /proc and /sys below a root that the caller names, to a Host. It changes nothing."""
