"""What a router is: frozen data that every other package shares. It reads nothing and writes nothing."""
