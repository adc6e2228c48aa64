"""Follows a VPP and says when it is not as its file says: the loop, the file, what was told, and bringing VPP back."""
