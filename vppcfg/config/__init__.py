"""Configuration files: from YAML to a checked Configuration, and from a State back to YAML; `load` begins it."""
