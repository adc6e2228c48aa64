"""Load tests with whole connections: begun at a rate that rises, answered, counted, and judged."""
