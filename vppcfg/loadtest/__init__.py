"""Load tests: traffic offered to a router by a generator, what comes back counted, and what follows from it."""
