"""What vppcfg costs on networks of real size; `make bench` runs it, docs/performance.md has its results."""
