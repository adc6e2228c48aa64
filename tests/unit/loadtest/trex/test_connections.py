"""The profile's JSON as T-Rex wants it, and the latency that T-Rex reports."""

import base64
import json
from typing import Any

import pytest

from tests.unit.loadtest.samples import BACK, THERE
from vppcfg.errors import EngineError
from vppcfg.loadtest.stateful.profile import stateful_profile_of
from vppcfg.loadtest.trex.connections import icmp_delay, profile_json


def written(name: str, **options: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(profile_json(stateful_profile_of(name, **options)))
    return document


def test_a_page_is_two_programs_and_a_template() -> None:
    document = written("http", answer_bytes=5000, open_s=0.25, clients=10, servers=2)
    request, answer = document["buf_list"]
    assert base64.b64decode(request).startswith(b"GET / ")
    assert base64.b64decode(answer.pop("base")).startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer == {"fill": base64.b64encode(b"x").decode(), "size": 5000}
    counted = {"name": "add_stats", "stats_id": 0, "val": 1}
    asked = len(base64.b64decode(request))
    assert document["program_list"] == [
        {"commands": [
            {"name": "tx", "buf_index": 0}, {"name": "rx", "min_bytes": 5000}, counted,
            {"name": "delay", "usec": 250_000},
        ]},
        {"commands": [{"name": "rx", "min_bytes": asked}, counted, {"name": "tx", "buf_index": 1}]},
    ]  # fmt: skip
    assert document["templates"] == [
        {
            "client_template": {
                "program_index": 0,
                "ip_gen": {"dist_client": {"index": 0}, "dist_server": {"index": 1}},
                "cluster": {},
                "port": 80,
                "cps": 1.0,
            },
            "server_template": {"program_index": 1, "assoc": [{"port": 80}]},
        }
    ]
    offset = {"ip_offset": "1.0.0.0", "distribution": "seq"}
    assert document["ip_gen_dist_list"] == [
        {"dir": "c", "ip_start": "16.0.0.1", "ip_end": "16.0.0.10", **offset},
        {"dir": "s", "ip_start": "48.0.0.1", "ip_end": "48.0.0.2", **offset},
    ]
    assert document["tg_names"] == []


def test_a_lookup_is_a_datagram_each_way_and_has_failed_after_two_seconds() -> None:
    document = written("dns")
    counted = {"name": "add_stats", "stats_id": 0, "val": 1}
    patience = {"name": "keepalive", "msec": 2000}
    assert document["program_list"] == [
        {
            "commands": [
                patience, {"name": "tx_msg", "buf_index": 0}, {"name": "rx_msg", "min_pkts": 1}, counted,
            ],
            "stream": False,
        },
        {
            "commands": [{"name": "rx_msg", "min_pkts": 1}, counted, {"name": "tx_msg", "buf_index": 1}],
            "stream": False,
        },
    ]  # fmt: skip
    assert all(isinstance(buffer, str) for buffer in document["buf_list"])


def test_each_application_of_a_mix_has_its_own_programs_and_its_share() -> None:
    document = written("mix")
    templates = document["templates"]
    assert [each["client_template"]["cps"] for each in templates] == [5.0, 4.0, 1.0]
    assert [each["client_template"]["program_index"] for each in templates] == [0, 2, 4]
    assert [each["server_template"]["program_index"] for each in templates] == [1, 3, 5]
    assert [each["server_template"]["assoc"] for each in templates] == [
        [{"port": 53}],
        [{"port": 80}],
        [{"port": 8080}],
    ]
    sent = [program["commands"][-1 if place % 2 else 0] for place, program in enumerate(document["program_list"])]
    assert [command.get("buf_index") for command in sent] == [None, 1, 2, 3, 4, 5]
    assert (len(document["program_list"]), len(document["buf_list"])) == (6, 6)


TOLD = {
    "data": {
        "port-0": {
            "hist": {"cnt": 9, "high_cnt": 9, "histogram": [], "max_usec": 0, "min_usec": 10, "s_avg": 0.0},
            "stats": {"m_pkt_ok": 0, "m_tx_pkt_ok": 1000, "m_jitter": 0, "m_seq_error": 0},
        },
        "port-1": {
            "hist": {
                "cnt": 900, "high_cnt": 900, "histogram": [{"key": 100, "val": 99}, {"key": 20, "val": 890}],
                "max_usec": 68, "min_usec": 10, "s_avg": 35.5, "s_max": 30.0,
            },
            "stats": {"m_pkt_ok": 999, "m_tx_pkt_ok": 0, "m_jitter": 4, "m_seq_error": 2},
        },
        "unknown": 0,
    }
}  # fmt: skip
"""Port 1 hears what port 0 sends; the greatest time is brought up to date less often than the histogram."""


def test_latency_is_what_the_port_opposite_has_received() -> None:
    delay = icmp_delay(THERE, TOLD)
    assert (delay.sent, delay.received, delay.out_of_order) == (1000, 999, 2)
    assert (delay.average_us, delay.minimum_us, delay.maximum_us, delay.jitter_us) == (35.5, None, 100.0, 4.0)
    assert delay.histogram == ((0.0, 10), (20.0, 890), (100.0, 99))


def test_a_way_without_packets_has_no_latency() -> None:
    delay = icmp_delay(BACK, TOLD)
    assert (delay.sent, delay.received, delay.histogram, delay.maximum_us) == (0, 0, (), 0.0)


@pytest.mark.parametrize("told", [{"data": 5}, {"data": {"port-1": {"hist": {"histogram": {}}}}}, []])
def test_an_answer_that_cannot_be_is_an_error(told: object) -> None:
    with pytest.raises(EngineError, match="T-Rex answers"):
        icmp_delay(THERE, told)
