"""The tuner's rules: one module each, a situation in, findings out. They touch nothing and raise nothing."""
