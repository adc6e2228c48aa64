"""A clock whose time passes while somebody sleeps, and in no other way."""


class Clock:
    """Stands in for the module `time`."""

    def __init__(self, now_s: float = 1000.0) -> None:
        """Begin at a time, in seconds."""
        self.now_s = now_s

    def monotonic(self) -> float:
        return self.now_s

    def time(self) -> float:
        return 1_700_000_000 + self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds
