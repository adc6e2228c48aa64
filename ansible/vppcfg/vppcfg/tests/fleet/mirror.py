# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""Gives a device of Linux the addresses that a port of a simulated VPP has, as linux-cp does for a real one.

`python mirror.py SOCKET PORT DEVICE`, with the Python that vppcfg is installed for, until it is ended.
"""

from __future__ import annotations

import subprocess
import sys
import time


def main() -> None:
    """Look four times a second."""
    from vppcfg import api

    socket, port, device = sys.argv[1:]
    router, shown = api.Target(api_socket=socket), set()
    while True:
        try:
            wanted = set(api.observe(router).interfaces[port].addresses)
        except api.VppcfgError:  # it is being started anew
            time.sleep(0.25)
            continue
        for address in shown - wanted:
            subprocess.run(["ip", "address", "del", address, "dev", device], check=True)
        for address in wanted - shown:
            subprocess.run(["ip", "address", "add", address, "dev", device], check=True)
        shown = wanted
        time.sleep(0.25)


if __name__ == "__main__":
    main()
