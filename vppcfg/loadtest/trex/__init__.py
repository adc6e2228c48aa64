"""The client of a T-Rex server in stateless mode: JSON-RPC over ZeroMQ."""
