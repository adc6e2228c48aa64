"""The bases of all kinds of objects: what parsing, plans and reading VPP ask of each. It knows no single kind."""
