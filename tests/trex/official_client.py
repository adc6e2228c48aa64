"""Drives a T-Rex server with the official client, in a process and an environment of its own.

Usage: official_client.py PORT. Prints what the client counted, as JSON. Never imported: the client replaces modules.
"""

import json
import sys
import time

import lbr_trex_client  # noqa: F401 (it sets the paths that the next import needs)
from trex.stl.api import IP, STLVM, UDP, Ether, STLClient, STLFlowLatencyStats, STLPktBuilder, STLStream, STLTXCont


def bench_stream(source: str, destination: str) -> STLStream:
    """Return what scripts/stl/bench.py makes with size=64,vm=var2."""
    vm = STLVM()
    for name, first in (("src", source), ("dst", destination)):
        last = first.rpartition(".")[0] + ".254"
        vm.var(name=name, min_value=first, max_value=last, size=4, op="inc")
    vm.write(fv_name="src", pkt_offset="IP.src")
    vm.write(fv_name="dst", pkt_offset="IP.dst")
    vm.fix_chksum()
    packet = Ether() / IP(src=source, dst=destination) / UDP(dport=12, sport=1025, chksum=0) / ("x" * 18)
    return STLStream(packet=STLPktBuilder(pkt=packet, vm=vm), mode=STLTXCont(pps=1.0))


def latency_stream(source: str, destination: str) -> STLStream:
    """Return 100 stamped packets per second."""
    packet = Ether() / IP(src=source, dst=destination) / UDP(dport=12, sport=1025, chksum=0) / ("x" * 18)
    stats = STLFlowLatencyStats(pg_id=7)
    return STLStream(packet=STLPktBuilder(pkt=packet), mode=STLTXCont(pps=100.0), flow_stats=stats)


def main() -> None:
    """Take both ports, load streams, run for two seconds at two loads, count, give back."""
    port = int(sys.argv[1])
    client = STLClient(server="127.0.0.1", sync_port=port, async_port=port + 1)
    client.connect()
    try:
        client.reset(ports=[0, 1])
        client.add_streams([bench_stream("16.0.0.4", "48.0.0.4"), latency_stream("16.0.0.4", "48.0.0.4")], ports=[0])
        client.add_streams([bench_stream("48.0.0.4", "16.0.0.4")], ports=[1])
        client.clear_stats()
        client.start(ports=[0, 1], mult="1000pps", duration=60)
        time.sleep(1.0)
        client.update(ports=[0, 1], mult="2000pps")
        time.sleep(1.0)
        client.stop(ports=[0, 1])
        stats = client.get_stats()
        counts = {name: {key: stats[name][key] for key in ("opackets", "ipackets")} for name in (0, 1)}
        sys.stdout.write(json.dumps(counts) + "\n")
    finally:
        client.disconnect()


if __name__ == "__main__":
    main()
