# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""Runs the scenarios of the fleet, those that need a VPP, root or a sshd where these are there."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path

from lost_address import address_removed
from readme import readme
from real_vpps import five_vpps
from routers import Fleet
from scenarios import OLD, SCENARIOS, Skipped, files
from upgrade import upgrade

SCENARIOS.update(readme=readme, address_removed=address_removed, upgrade=upgrade, five_vpps=five_vpps)
ON_THEIR_OWN = ("readme", "upgrade", "five_vpps")
"""Scenarios that have routers of their own."""


def main() -> int:
    """Run the scenarios that are named, or all; return 1 when one does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vppcfg", required=True, help="folder of the program vppcfg")
    parser.add_argument("--ansible", required=True, help="folder of the programs of Ansible")
    parser.add_argument("--size", type=int, default=3)
    parser.add_argument("names", nargs="*", metavar="SCENARIO", help=", ".join(SCENARIOS))
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(Path(folder), args.size, args.vppcfg, args.ansible)
        try:
            for name in args.names or SCENARIOS:
                began = time.monotonic()
                try:
                    if name not in ON_THEIR_OWN:
                        fleet.settle(files(fleet, OLD))
                    SCENARIOS[name](fleet)
                except Skipped as reason:
                    print(f"skipped {name}: {reason}", flush=True)
                except AssertionError as error:
                    failed.append(name)
                    print(f"FAILED {name}: {error}\n{fleet.last_words()}", flush=True)
                else:
                    print(f"ok {name}, {args.size} routers, {time.monotonic() - began:.0f} s", flush=True)
        finally:
            fleet.stop_all()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
