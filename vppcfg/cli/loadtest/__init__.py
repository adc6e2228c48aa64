"""`vppcfg loadtest` and what stands below it, one module per command."""
