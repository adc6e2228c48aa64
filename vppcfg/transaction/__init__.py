"""Carrying a plan out on a dataplane so that nothing is left unsaid; it never knows which dataplane it drives."""
