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
RESULT_BYTES = 64 << 20
"""Of the result of a load test. One of a day with a sample a second has some 40 MB."""
CAPTURE_BYTES = 64 << 20
"""Of one file of what the tuner captured, a session pasted from a terminal included; what VPP prints has a few MB."""
ARCHIVE_MEMBERS = 1_000
"""Of an archive or folder with what VPP printed. A capture has fewer than 20 files for each reading."""
FLOW_BYTES = 64 << 20
"""Of an iperf3 client's output at its end: 600 bytes for each second of a flow."""
