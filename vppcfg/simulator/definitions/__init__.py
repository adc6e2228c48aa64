"""VPP's binary API as far as the simulator speaks it: one text per .api file, in a short notation of our own."""
