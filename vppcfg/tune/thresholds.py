"""The numbers that rules decide by, each with its reason. docs/tuner.md has the same table.

Where VPP's source or the physics of a link gives a number it is named; the others are ours, to be moved by
experience.
"""

from __future__ import annotations

FRAME = 256
"""Packets in a full frame (VPP: vlib/node.h, VLIB_FRAME_SIZE); an input node takes this much per queue and call."""
SATURATED_VECTOR = 200.0
"""Ours: a mean graph vector from here on means that the worker never catches up. Idle is 1, production 4 to 16."""
SATURATED_INPUT = 0.8
"""Ours: share of 256 per queue that a saturated worker finds at each poll. VPP's own cop example reaches 0.85."""
LIGHT_VECTOR = 32.0
"""Ours: below this mean vector a worker has time to spare."""
OFFERED_SHARE = 0.98
"""Ours: a port that receives less than this share of what is sent to it loses packets before VPP sees them."""
LINE_SHARE = 0.99
"""Ours: a link that carries this share of its line rate is full. Generators reach 0.995."""
TX_DEFICIT = 1e-4
"""Ours: share of packets handed to a port and not sent; one ring lost at the start stays below."""
ONE_OFF_RINGS = 1.0
"""Ours: a loss of no more than this many rings happened once, when the port came up."""
RING_FILLED = 128.0
"""Ours: mean packets per poll and queue below which a missed packet is a burst, not a load."""
BUFFERS_FREE = 0.10
"""Ours: share of free buffers below which a burst finds none."""
IMBALANCE = 1.5
"""Ours: load of the busiest worker over the mean."""
IMBALANCE_PPS = 10_000.0
"""Ours: below this rate an uneven load does not matter."""
QUEUE_SHARE = 0.90
"""Ours: share of a port's packets in one of its queues that means that they are not spread."""
SHARED_CLOCKS = 1.5
"""Ours: clocks of a port's tx node over those of ports whose queues are not shared."""
MEMORY_USED = 0.70
"""Ours: part of a heap in use from which on it has to grow before more is put in. A full stat segment aborts VPP."""
PCIE_USABLE = 0.80
"""Of a PCIe link's rate, what is left for packets after headers and flow control."""
BUSY_PORT_PPS = 10_000.0
"""Ours: from this rate on a port should be polled."""
CLOCK_SLOW = 0.80
"""Ours: present over largest frequency of a worker's CPU."""
MAIN_PROCESS_CLOCKS = 2e-2
"""Ours: seconds of the main thread per turn of a process from which on it delays the API."""
BASE_FIT_HZ = 5e8
"""A counter slower than this (aarch64) is too coarse for clocks per node."""
DIRECTION_SPREAD = 0.15
"""Ours: loss shares at two frame sizes are the same when they differ by no more than this."""
PATTERN_RANGE = 4.0
"""Ours: packet rates that differ by this factor and lose the same share have no CPU behind them."""
FAULT_PPS = 1.0
"""Ours: packets per second with one fault from which on it is worth a word."""
IDLE_PPS = 200.0
"""Ours: a VPP that takes in less than this is idle: neighbours, routing protocols and broadcasts, no traffic."""
DROP_SHARE = 1e-3
"""Ours: share of all packets from which on drops are more than the noise of any network."""
DROPS_PPS = 50.0
"""Ours: drops below this rate are what a network without traffic has: broadcasts, discovery, other protocols."""
MANY_PACKETS = 1000
"""Ours: from so many packets dropped at unknown times on, they are a loss and no notice."""
SURELY = 0.1
"""Ours: a share of all packets since the counters began that was not lost in one bad hour."""
PAST_S = 3600.0
"""Ours: an average over more than this shows nothing about the present."""
