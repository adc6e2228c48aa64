"""The limits on input from outside, in one table: what exceeds one is refused with its place and the reason.

The measure is that no input, however it was made, keeps a command busy for more than 10 s or takes more than 256 MB;
and that what a router can be configured with is far within.
"""

from __future__ import annotations

CONFIG_BYTES = 16 << 20
"""Of a configuration. 80,000 sub-interfaces with addresses and LCP pairs, or 80,000 terms, have 8 to 10 MB."""
CONFIG_VALUES = 500_000
"""Keys and items of a configuration, those included that aliases stand for. 80,000 sub-interfaces with addresses and
LCP pairs, or 80,000 terms, have so many; each takes up to 400 bytes and 10 us to read."""
CONFIG_DEPTH = 64
"""Of maps and lists in each other, those included that aliases stand for. A configuration has six levels; what reads
deeper ones calls itself for each, and Python allows 1,000 such calls."""
TEXT_CHARACTERS = 1 << 16
"""Of one key or value of a configuration. The longest that means something, a description, has 60."""
NUMBER_CHARACTERS = 64
"""Of a number, a truth value or a date in a configuration. The longest that means something has 64 binary digits; with
YAML's integers of base 60 the time grows with the square of the length."""
RANGE_CHARACTERS = 64
"""Of a range of ports: two names or numbers. Every hyphen in it may be the one between them."""
PROBLEMS = 1_000
"""Errors that are shown of one file, and warnings likewise. To word one takes 100 us."""
ACL_RULES_MANY = 10_000
"""Rules of one access list, terms multiplied out, from which on there is a warning. VPP compares a packet with as many
masks as an access list has different ones, and keeps all of them in memory for each interface that applies the list."""
ACL_RULES_MOST = 100_000
"""Rules of one access list. 100,000 are 20 MB here and 5 MB in the one message that VPP gets."""
ALL_ACL_RULES_MOST = 300_000
"""Rules of all access lists of a configuration: 60 MB."""
MACIP_RULES_MOST = 20_000
"""Rules of all MACIP access lists of a configuration. VPP keeps each of them in up to six classifiers."""
MACIP_RULES_PER_SHAPE = 1_000
"""Rules of one MACIP access list with the same prefix length and MAC mask. Each of their classifiers has 8 MB, and VPP
ends when that is full (acl_classify_add_del_table_small in plugins/acl/acl.c). VPP 26.10 took up to 2 MB for 1,000 and
up to 4.4 MB for 2,000, and ended at 4,000 random addresses with a MAC address each."""
MACIP_SHAPES_MOST = 64
"""Combinations of prefix length and MAC mask in one MACIP access list. VPP makes up to six classifiers of each, and
asks them one after the other for every packet; here, each is compared with each."""
ALL_MACIP_SHAPES_MOST = 1_000
"""The same of all MACIP access lists together. Each classifier takes two of the 65,530 mappings of memory that Linux
lets a process have by default (vm.max_map_count): VPP 26.10 ended at 5,200 combinations."""
CONF_CHARACTERS = 1 << 20
"""Of a startup.conf, comments included. VPP reads 256 kB without them (vpp/vnet/main.c), and the largest files known
have 20 kB."""
SEGMENT_BYTES = 256 << 20
"""Of counters and names of VPP's stats segment in one reading, which go by thread after thread: 100,000 interfaces with
16 workers have half."""
SEGMENT_ENTRIES = 1 << 23
"""Of the directory of the segment: 17 for each interface and 4 for each node are passed over. 1 GB are read in 2 s."""
SEGMENT_COUNTERS = 1 << 18
"""Of those in the directory that are kept: 50 MB. VPP has 10,000, and some for each driver and tunnel."""
SEGMENT_NAMES = 60_000
"""Of interfaces, and of nodes. `top` takes 4 kB for each interface."""
SEGMENT_NAME_BYTES = 128
"""Of a name, as the directory has them; names of interfaces have at most 63 (vl_api_sw_interface_details_t)."""
SEGMENT_VECTOR_BYTES = 16 << 20
"""Of one counter of one thread: a million interfaces, or two million reasons of errors."""
SEGMENT_PLACES = 1 << 20
"""Of one counter, nodes or interfaces times threads: 8 MB. 64 threads with 2,000 nodes have an eighth."""
NODE_PLACES = 200_000
"""Of nodes that have run, times threads: `metrics` takes 700 bytes for each. 128 threads with 1,500 such nodes have so
many; of 3,000 nodes, VPP runs 300 at most."""
ROUTING_CHARACTERS = 8 << 20
"""Of the configuration of a routing daemon, with all that it includes: 300,000 prefixes in filters. Each word takes 60
bytes and 1 us."""
ROUTING_LINES = 1_000_000
"""Of such a file; each takes 3 us."""
ROUTING_STATEMENTS = 100_000
"""Of BIRD at its top level; each takes 300 bytes. A router with 2,000 neighbours has 10,000."""
WORD_CHARACTERS = 4096
"""Of one word of startup.conf: as long as a path may be (PATH_MAX)."""
SCRIPT_COMMANDS = 20_000
"""Of scripts that are adopted together. Each is run on a simulated VPP several times, 0.4 ms in all."""
SCRIPT_CHARACTERS = 1 << 20
"""Of their commands: 25,000 rules of access lists, 0.3 ms each."""
RESULT_BYTES = 64 << 20
"""Of the result of a load test. One of a day with a sample a second has some 40 MB."""
CAPTURE_BYTES = 32 << 20
"""Of one file of what the tuner captured, a session pasted from a terminal included; what VPP prints has a few MB."""
CAPTURE_LINES = 200_000
"""Of one text that VPP printed; each takes up to 10 us. 10,000 interfaces have 120,000."""
CAPTURE_CHARACTERS = 16 << 20
"""Of one text that VPP printed."""
JSON_MEMORY_BYTES = 160 << 20
"""What the values of a JSON document may take, by a rough count of them before they are read."""
ARCHIVE_MEMBERS = 1_000
"""Of an archive or folder with what VPP printed. A capture has fewer than 20 files for each reading."""
FLOW_BYTES = 64 << 20
"""Of an iperf3 client's output at its end: 600 bytes for each second of a flow."""
