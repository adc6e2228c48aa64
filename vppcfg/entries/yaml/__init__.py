"""The YAML of a configuration file: its values with their places, and what is wrong with the text itself."""
