"""A stats segment that a test fills and changes, behind a socket as VPP has it."""

import os
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from vppcfg.simulator.stats import Link, Value, segment_of

SIZE = 1 << 20


def router(**more: Value) -> dict[str, Value]:
    """Return the counters of a VPP with one worker and the port eth0; `more` by name, `__` in place of `/`."""
    node = [[0, 0], [10, 0]]
    counters: dict[str, Value] = {
        "/sys/last_stats_clear": 10,
        "/sys/heartbeat": 3,
        "/sys/boottime": 1_700_000_000,
        "/sys/last_update": 30,
        "/sys/num_worker_threads": 1,
        "/sys/vector_rate_per_worker": [[0, 4]],
        "/sys/loops_per_worker": [[100, 2_000_000]],
        "/node/errors": [[0, 5], [0, 7]],
        "/err/eth0-tx/Tx packet drops (dpdk tx failure)": Link("/node/errors", 1),
        "/err/eth1/0/0-tx/silent": Link("/node/errors", 0),
        "/if/names": ["local0", "eth0"],
        "/if/rx": [[(0, 0), (1, 60)], [(0, 0), (9, 540)]],
        "/if/tx": [[(0, 0)], [(0, 0), (4, 240)]],
        "/if/drops": [[0, 1], [0, 2]],
        "/if/punt": [[0, 0], [0, 1]],
        "/if/rx-miss": [[0, 0], [0, 3]],
        "/if/rx-no-buf": [[0, 0], [0, 0]],
        "/if/rx-error": [[0, 0], [0, 0]],
        "/if/tx-error": [[0, 0], [0, 0]],
        "/buffer-pools/default-numa-0/available": 70,
        "/buffer-pools/default-numa-0/cached": 10,
        "/buffer-pools/default-numa-0/used": 20,
        "/mem/main heap": [[1000, 600, 400]],
        "/mem/main heap/total": Link("/mem/main heap", 0),
        "/mem/main heap/used": Link("/mem/main heap", 1),
        "/sys/node/names": ["dpdk-input", "never-called"],
        **{f"/sys/node/{kind}": node for kind in ("calls", "vectors", "clocks", "suspends")},
    }
    return counters | {f"/{name.strip('_').replace('__', '/')}": value for name, value in more.items()}


class StatsServer:
    """Hands out one memory, which a test fills anew; a context manager."""

    def __init__(self, path: Path, counters: Mapping[str, Value], size: int = SIZE) -> None:
        self.path = path
        self.clients = 0
        self._size = size
        self._memory = os.memfd_create("stat segment")
        os.ftruncate(self._memory, size)
        self._epoch = 0
        self.fill(counters)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.bind(str(path))
        self._socket.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def fill(self, counters: Mapping[str, Value], *, is_changing: bool = False) -> None:
        """Put counters in place of those that are there."""
        self._epoch += 1
        self.write(0, segment_of(counters, epoch=self._epoch, is_changing=is_changing))

    def write(self, start: int, content: bytes) -> None:
        """Put bytes somewhere."""
        os.pwrite(self._memory, content, start)

    def cut(self, size: int) -> None:
        """Make the memory shorter, as no VPP does."""
        os.ftruncate(self._memory, size)

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            with client:
                self.clients += 1
                socket.send_fds(client, [b"\0"], [self._memory])

    def close(self) -> None:
        """Go away, as a VPP that ends."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()
        self.path.unlink(missing_ok=True)
        os.close(self._memory)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
