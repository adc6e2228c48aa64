"""A disk that fills while a change is written down, for tests of what must go on all the same."""

from __future__ import annotations

import errno
import os


class FullDisk:
    """In place of fsync: the disk is full from the n-th time on, until it is mended."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self.count = 0

    def __call__(self, descriptor: int) -> None:
        self.count += 1
        if self.count >= self._capacity:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def mend(self) -> None:
        """Let everything be written again."""
        self._capacity = 10**6
