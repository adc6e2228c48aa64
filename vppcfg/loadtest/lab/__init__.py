"""A laboratory on one machine: a device under test between two ends, each in a network namespace of its own."""
