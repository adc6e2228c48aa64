"""`vppcfg tune`: a module for each of its commands, and what they share."""
