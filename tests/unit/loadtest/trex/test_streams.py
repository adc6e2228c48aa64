"""Streams as T-Rex gets them: the object that its own client writes, recorded from trex_stl_streams.py 3.08."""

import base64

import pytest

from tests.unit.loadtest.samples import BACK, THERE
from vppcfg.loadtest.engine import Traffic
from vppcfg.loadtest.profile import profile_of
from vppcfg.loadtest.trex.engine import streams_of

RECORDED = {
    "flags": 0,
    "action_count": 0,
    "enabled": True,
    "self_start": True,
    "start_paused": False,
    "isg": 0.0,
    "core_id": -1,
    "next_stream_id": -1,
    "mode": {"rate": {"type": "pps", "value": 1.0}, "type": "continuous"},
    "packet": {
        "binary": "AAAAAQAAAAAAAgAACABFAAAuAAEAAEAROrcQAAAEMAAABAQBAAwAGgAAeHh4eHh4eHh4eHh4eHh4eHh4",
        "meta": "",
    },
    "vm": {
        "instructions": [
            {
                "type": "flow_var",
                "name": "src",
                "size": 4,
                "op": "inc",
                "next_var": None,
                "split_to_cores": True,
                "init_value": 268435460,
                "min_value": 268435460,
                "max_value": 268435710,
                "step": 1,
            },
            {
                "type": "flow_var",
                "name": "dst",
                "size": 4,
                "op": "inc",
                "next_var": None,
                "split_to_cores": True,
                "init_value": 805306372,
                "min_value": 805306372,
                "max_value": 805306622,
                "step": 1,
            },
            {"type": "write_flow_var", "name": "src", "pkt_offset": 26, "add_value": 0, "is_big_endian": True},
            {"type": "write_flow_var", "name": "dst", "pkt_offset": 30, "add_value": 0, "is_big_endian": True},
            {"type": "fix_checksum_ipv4", "pkt_offset": 14},
        ]
    },
    "flow_stats": {"enabled": False},
}


def test_a_stream_is_what_the_official_client_sends() -> None:
    traffic = Traffic(profile=profile_of("bench", "64", "var2"), directions=(THERE,))
    assert streams_of(traffic, THERE) == [RECORDED]


@pytest.mark.parametrize("name", ["bench", "imix", "udp_1pkt"])
def test_the_stream_that_measures_latency_has_a_group_per_direction_and_room_for_a_stamp(name: str) -> None:
    traffic = Traffic(profile=profile_of(name), directions=(THERE, BACK), latency_pps=500.0)
    last = [streams_of(traffic, direction)[-1] for direction in (THERE, BACK)]
    assert [stream["flow_stats"] for stream in last] == [
        {"enabled": True, "stream_id": group, "rule_type": "latency", "vxlan": False, "ieee_1588": False}
        for group in (7, 8)
    ]
    assert all(stream["mode"]["rate"]["value"] == 500.0 for stream in last)
    frames = [base64.b64decode(stream["packet"]["binary"]) for stream in last]
    assert all(len(frame) >= 60 and int.from_bytes(frame[16:18]) == len(frame) - 14 for frame in frames)
