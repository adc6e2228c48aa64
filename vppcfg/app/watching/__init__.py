"""Follows a VPP and reports when it differs from its file: the loop, the file, the notices, and bringing VPP back."""
