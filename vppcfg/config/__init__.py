"""Configuration files: from YAML to a checked Configuration, and from a State back to YAML."""

from vppcfg.config.load import Loaded, load, parse_text

__all__ = ["Loaded", "load", "parse_text"]
