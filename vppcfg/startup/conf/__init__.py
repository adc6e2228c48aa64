"""startup.conf as text and as a tree: VPP's grammar per release, a reader, a writer, updates and comparisons."""
