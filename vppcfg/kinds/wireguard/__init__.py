"""WireGuard interfaces and their peers: a module for each question; `kind` brings them together."""
