"""The generator that every Debian has: trafgen of netsniff-ng, paced by the kernel, counted by the kernel."""
