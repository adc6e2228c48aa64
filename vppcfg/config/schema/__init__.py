"""The shape of a configuration file: which keys and values may stand where, whatever they mean to each other."""
