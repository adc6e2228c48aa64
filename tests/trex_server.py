"""A stand-in for a T-Rex server in stateless mode, with a device of a stated capacity behind it.

It speaks JSON-RPC over ZeroMQ as trex-core 3.08 does, refuses with the same texts, and counts packets by the clock of
this machine. What it knows of T-Rex comes from the server's source (src/rpc-server, src/stx), not from vppcfg.
"""

import base64
import json
import random
import string
import struct
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import zmq

MAGIC = 0xABE85CEA
EXECUTE_ERROR, TRY_AGAIN, INVALID_PARAMS, UNKNOWN_METHOD = -32000, -32001, -32602, -32601
WITHOUT_HANDLE = ("api_sync_v2", "get_version", "ping")
MODE_TYPES = ("continuous",)
INSTRUCTIONS = ("flow_var", "write_flow_var", "fix_checksum_ipv4")


class Refusal(Exception):
    """An error object of the server's."""

    def __init__(self, text: str, code: int = EXECUTE_ERROR) -> None:
        super().__init__(text)
        self.text, self.code = text, code


@dataclass
class TrexPort:
    index: int
    owner: str = ""
    handler: str = ""
    state: str = "IDLE"
    is_up: bool = True
    is_promiscuous: bool = False
    streams: dict[int, dict[str, Any]] = field(default_factory=dict)
    rate_pps: float = 0.0
    stops_at_s: float = 0.0
    sent: float = 0.0
    received: float = 0.0


class StandInTrex:
    """The server; a context manager that runs it in a thread."""

    def __init__(
        self,
        *,
        capacity_pps: float = 1e6,
        ports: int = 2,
        api: tuple[int, int] = (5, 1),
        version: str = "v3.08",
        mode: str = "STL",
        speed_gbps: float = 10.0,
    ) -> None:
        self.capacity_pps, self.api, self.version, self.mode, self.speed_gbps = (
            capacity_pps,
            api,
            version,
            mode,
            speed_gbps,
        )
        self.ports = [TrexPort(index=index) for index in range(ports)]
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.is_mute = False
        self.on_call: Callable[[str], None] = lambda method: None
        self.try_again = 0
        self.most_streams = 0
        self._handle = self._letters()
        self._counted_s = time.monotonic()
        self._lock = threading.Lock()
        self._context: Any = zmq.Context()
        self._socket = self._context.socket(zmq.REP)
        self.port = self._socket.bind_to_random_port("tcp://127.0.0.1")
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()
        self._socket.close(linger=0)
        self._context.term()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def is_idle(self) -> bool:
        """Return whether nobody owns a port and nothing is sent."""
        with self._lock:
            self._advance()
            return self.is_owned_by_nobody

    @property
    def is_owned_by_nobody(self) -> bool:
        return all(not port.owner and not port.rate_pps for port in self.ports)

    def restart(self) -> None:
        """Forget everything, as a server that was started again."""
        with self._lock:
            self._handle = self._letters()
            self.ports = [TrexPort(index=port.index) for port in self.ports]

    def _serve(self) -> None:
        while not self._is_over.is_set():
            if self._socket.poll(20, zmq.POLLIN):
                message = self._socket.recv()
                while self.is_mute and not self._is_over.is_set():
                    time.sleep(0.01)
                with self._lock:
                    answer = self._answer(message)
                self._socket.send(answer)

    def _answer(self, message: bytes) -> bytes:
        is_compressed = len(message) > 8 and struct.unpack_from("!I", message)[0] == MAGIC
        text = zlib.decompress(message[8:]) if is_compressed else message
        request = json.loads(text)
        reply: Any = [self._one(each) for each in request] if isinstance(request, list) else self._one(request)
        if isinstance(reply, list) and len(reply) == 1:
            reply = reply[0]
        body = json.dumps(reply).encode()
        return struct.pack("!II", MAGIC, len(body)) + zlib.compress(body) if is_compressed else body

    def _one(self, request: dict[str, Any]) -> dict[str, Any]:
        frame = {"jsonrpc": "2.0", "id": request.get("id")}
        try:
            return {**frame, "result": self._result(request)}
        except Refusal as refusal:
            return {**frame, "error": {"code": refusal.code, "message": "RPC error", "specific_err": refusal.text}}

    def _result(self, request: dict[str, Any]) -> Any:
        if request.get("id") is None:
            raise Refusal("Missing 'id' field", -32600)
        method, arguments = request["method"], request.get("params")
        if not isinstance(arguments, dict):
            raise Refusal("Bad params", INVALID_PARAMS)
        self.calls.append((method, arguments))
        self.on_call(method)
        if method not in WITHOUT_HANDLE and arguments.get("api_h") != self._handle:
            raise Refusal("API verification failed - API handler provided mismatch for class: 'core'")
        answer: Callable[[dict[str, Any]], Any] | None = getattr(self, f"rpc_{method}", None)
        if answer is None:
            raise Refusal(f"Method {method} not registered", UNKNOWN_METHOD)
        self._advance()
        return answer(arguments)

    def _advance(self) -> None:
        """Count what was sent since the last look, and what the device let through to the port opposite."""
        now = time.monotonic()
        for port in self.ports:
            if not port.rate_pps:
                continue
            until = min(now, port.stops_at_s)
            duration_s = max(until - self._counted_s, 0.0)
            port.sent += port.rate_pps * duration_s
            self.ports[port.index ^ 1].received += min(port.rate_pps, self.capacity_pps) * duration_s
            if now >= port.stops_at_s:
                port.rate_pps, port.state = 0.0, "STREAMS"
        self._counted_s = now

    # what needs no port

    def rpc_api_sync_v2(self, arguments: dict[str, Any]) -> Any:
        name, major, minor = (
            self._need(arguments, key, kind) for key, kind in (("name", str), ("major", int), ("minor", int))
        )
        if name != self.mode:
            both = f"server RPC configuration: '{self.mode}', client RPC configuration: '{name}'"
            raise Refusal(f"RPC configuration mismatch - {both}")
        if major != self.api[0] or minor > self.api[1]:
            server = f"{self.api[0]}.{self.api[1]}"
            raise Refusal(f"RPC version mismatch: {name} - server: '{server}', client: '{major}.{minor}'")
        return {"api_h": self._handle}

    def rpc_get_version(self, arguments: dict[str, Any]) -> Any:
        return {
            "version": self.version, "build_date": "Nov  1 2025", "build_time": "10:00:00", "built_by": "x",
            "mode": self.mode,
        }  # fmt: skip

    def rpc_ping(self, arguments: dict[str, Any]) -> Any:
        return {"ts": time.time()}

    def rpc_get_system_info(self, arguments: dict[str, Any]) -> Any:
        return {
            "hostname": "stand-in", "uptime": "0:00:01", "core_type": "simulated CPU", "dp_core_count": 1,
            "dp_core_count_per_port": 1, "is_multiqueue_mode": False, "advanced_per_stream_stats": False,
            "port_count": len(self.ports), "ports": [self._port_facts(port) for port in self.ports],
        }  # fmt: skip

    def _port_facts(self, port: TrexPort) -> dict[str, Any]:
        flags = ("fc", "led", "link", "prom", "vxlan", "ieee1588")
        return {
            "index": port.index, "driver": "net_af_packet", "pci_addr": "N/A", "pci_name": "x", "numa": -1,
            "hw_mac": f"02:00:00:00:00:{port.index:02x}", "src_macaddr": f"02:00:00:00:00:{port.index:02x}",
            "stack": "legacy", "description": "stand-in",
            "rx": {"caps": ["flow_stats", "latency", "rx_bytes"], "counters": 127},
            **{f"is_{flag}_supported": flag == "prom" for flag in flags},
            "is_virtual": True, "supp_speeds": [round(self.speed_gbps * 1000)], "speed": self.speed_gbps, "cores": [0],
        }  # fmt: skip

    def rpc_get_supported_cmds(self, arguments: dict[str, Any]) -> Any:
        return [name.removeprefix("rpc_") for name in dir(self) if name.startswith("rpc_")]

    def rpc_publish_now(self, arguments: dict[str, Any]) -> Any:
        return {}

    def rpc_get_async_events(self, arguments: dict[str, Any]) -> Any:
        return {"data": []}

    def rpc_get_tpg_status(self, arguments: dict[str, Any]) -> Any:
        return {"enabled": False}

    def rpc_get_active_pgids(self, arguments: dict[str, Any]) -> Any:
        return {"ids": {"flow_stats": [], "latency": self._groups()}}

    def _groups(self) -> list[int]:
        streams = (stream for port in self.ports for stream in port.streams.values())
        return sorted(stream["flow_stats"]["stream_id"] for stream in streams if stream["flow_stats"]["enabled"])

    def rpc_get_pgid_stats(self, arguments: dict[str, Any]) -> Any:
        flows: dict[str, Any] = {"g": {"rx_err": {}, "tx_err": {}}}
        latency: dict[str, Any] = {"g": {"old_flow": 0, "bad_hdr": 0}}
        for port in self.ports:
            for stream in port.streams.values():
                group = stream["flow_stats"].get("stream_id")
                if group in arguments.get("pgids", []) and port.sent:
                    flows[str(group)] = {
                        kind: {str(other.index): 1000 * self._counts(kind, port, other) for other in self.ports}
                        for kind in ("tp", "tb", "tps", "tbs", "rp", "rb", "rps", "rbs")
                    }
                    histogram = {"20": 900, "100": 99, "1000": 1}
                    times = {
                        "average": 35.5,
                        "total_min": 20,
                        "total_max": 1200,
                        "last_max": 30,
                        "histogram": histogram,
                        "jit": 4,
                    }
                    latency[str(group)] = {"lat": times, "er": {"drp": 0}}
        return {"flow_stats": flows, "latency": latency, "ver_id": {}}

    @staticmethod
    def _counts(kind: str, port: TrexPort, other: TrexPort) -> bool:
        """Return whether a port sends, or receives, what `port` sends."""
        return other.index == (port.index if kind.startswith("t") else port.index ^ 1)

    def rpc_get_global_stats(self, arguments: dict[str, Any]) -> Any:
        rates = sum(port.rate_pps for port in self.ports)
        return {
            "m_cpu_util": 12.5, "m_cpu_util_raw": 12.5, "m_bw_per_core": 1.0, "m_rx_cpu_util": 0.0,
            "m_rx_core_pps": 0.0, "m_platform_factor": 1.0, "m_tx_bps": rates * 512, "m_rx_bps": rates * 512,
            "m_tx_pps": rates, "m_rx_pps": rates, "m_tx_cps": 0.0, "m_tx_expected_cps": 0.0, "m_tx_expected_pps": 0.0,
            "m_tx_expected_bps": 0.0, "m_rx_drop_bps": 0.0, "m_total_queue_full": 0, "m_total_queue_drop": 0,
            "m_total_alloc_error": 0, "m_active_flows": 0, "m_open_flows": 0, "m_active_sockets": 0,
            "m_socket_util": 0.0, "m_total_clients": 0, "m_total_servers": 0,
        }  # fmt: skip

    # what is about a port

    def rpc_get_port_status(self, arguments: dict[str, Any]) -> Any:
        port = self._port(arguments)
        return {
            "owner": port.owner, "state": port.state if port.is_up else "DOWN", "state_profile": {}, "profile_count": 0,
            "max_stream_id": max(port.streams, default=0), "service": False, "service_filtered": False,
            "attr": {
                "promiscuous": {"enabled": port.is_promiscuous}, "multicast": {"enabled": False},
                "link": {"up": port.is_up}, "speed": self.speed_gbps, "fc": {"mode": 0}, "rx_filter_mode": "hw",
                "vxlan_fs": [], "vlan": {"tags": []},
                "layer_cfg": {
                    "ether": {"src": "02:00:00:00:00:00", "dst": "02:00:00:00:00:01", "state": "configured"},
                    "ipv4": {"state": "none"},
                    "ipv6": {"enabled": False},
                },
            },
            "rx_info": {"queue": {"is_active": False}, "latency": {"is_active": False}, "stack": {"is_active": True},
                        "grat_arp": {"is_active": False}, "capwap_proxy": {"is_active": False}},
        }  # fmt: skip

    def rpc_get_port_xstats_names(self, arguments: dict[str, Any]) -> Any:
        return {"xstats_names": []}

    def rpc_get_port_xstats_values(self, arguments: dict[str, Any]) -> Any:
        return {"xstats_values": []}

    def rpc_get_port_stats(self, arguments: dict[str, Any]) -> Any:
        port = self._port(arguments)
        return {
            "opackets": int(port.sent), "obytes": int(port.sent) * 64, "ipackets": int(port.received),
            "ibytes": int(port.received) * 64, "oerrors": 0, "ierrors": 0, "m_total_tx_bps": port.rate_pps * 512,
            "m_total_tx_pps": port.rate_pps, "m_total_rx_bps": 0.0, "m_total_rx_pps": 0.0, "m_cpu_util": 12.5,
        }  # fmt: skip

    def rpc_acquire(self, arguments: dict[str, Any]) -> Any:
        port, user = self._port(arguments), self._need(arguments, "user", str)
        session = self._need(arguments, "session_id", int)
        if port.owner and not self._need(arguments, "force", bool):
            raise Refusal(
                f"port is already owned by another session of '{user}'" if port.owner == user
                else f"port is already taken by '{port.owner}'"
            )  # fmt: skip
        port.owner, port.handler = user, f"{self._letters()}{session}"
        return port.handler

    def rpc_release(self, arguments: dict[str, Any]) -> Any:
        port = self._owned(arguments)
        if port.rate_pps:
            raise Refusal("cannot be executed on current state: 'TX'")
        port.owner = port.handler = ""
        return {}

    def rpc_set_port_attr(self, arguments: dict[str, Any]) -> Any:
        mode = self._need(arguments, "attr", dict).get("promiscuous")
        if mode is not None:
            self._owned(arguments).is_promiscuous = self._need(mode, "enabled", bool)
        return {}

    def rpc_set_rx_feature(self, arguments: dict[str, Any]) -> Any:
        self._owned(arguments)
        return {}

    rpc_service = rpc_set_l2 = rpc_set_vlan = rpc_remove_rx_filters = rpc_set_rx_feature

    def rpc_capture(self, arguments: dict[str, Any]) -> Any:
        return []

    def rpc_get_rx_queue_pkts(self, arguments: dict[str, Any]) -> Any:
        return {"pkts": []}

    def rpc_push_remote(self, arguments: dict[str, Any]) -> Any:
        raise Refusal("not in a stand-in")

    def rpc_remove_all_streams(self, arguments: dict[str, Any]) -> Any:
        port = self._owned(arguments)
        if port.rate_pps:
            raise Refusal("command 'remove_all_streams' cannot be executed on current state: 'TX'")
        port.streams.clear()
        port.state = "IDLE"
        return {}

    def rpc_add_stream(self, arguments: dict[str, Any]) -> Any:
        port, number = self._owned(arguments), self._need(arguments, "stream_id", int)
        stream = self._need(arguments, "stream", dict)
        if number in port.streams:
            raise Refusal(f"stream {number} already exists in profile_id(_)")
        self._check_stream(stream)
        port.streams[number] = stream
        self.most_streams = max(self.most_streams, len(port.streams))
        port.state = "STREAMS"
        return {}

    def _check_stream(self, stream: dict[str, Any]) -> None:
        for key, kind in (
            ("enabled", bool),
            ("self_start", bool),
            ("flags", int),
            ("next_stream_id", int),
            ("isg", float),
        ):
            self._need(stream, key, kind)
        mode, packet = self._need(stream, "mode", dict), self._need(stream, "packet", dict)
        if self._need(mode, "type", str) not in MODE_TYPES:
            raise Refusal(f"unsupported stream type '{mode['type']}'", INVALID_PARAMS)
        self._need(self._need(mode, "rate", dict), "value", float)
        length = len(base64.b64decode(self._need(packet, "binary", str), validate=True))
        if not 14 <= length <= 9238:
            raise Refusal(f"Bad packet size provided: {length}. Should be between 14 and 9238")
        for instruction in self._need(self._need(stream, "vm", dict), "instructions", list):
            self._check_instruction(instruction, length)
        if self._need(self._need(stream, "flow_stats", dict), "enabled", bool):
            self._need(stream["flow_stats"], "stream_id", int)
            self._need(stream["flow_stats"], "rule_type", str)

    def _check_instruction(self, instruction: dict[str, Any], length: int) -> None:
        kind = self._need(instruction, "type", str)
        if kind not in INSTRUCTIONS:
            raise Refusal(f"unknown instruction {kind}", INVALID_PARAMS)
        if kind == "flow_var":
            for key in ("init_value", "min_value", "max_value", "size", "step"):
                self._need(instruction, key, int)
            if not instruction["min_value"] <= instruction["init_value"] <= instruction["max_value"]:
                raise Refusal("init_value is out of range", INVALID_PARAMS)
        elif not 0 <= self._need(instruction, "pkt_offset", int) < length:
            raise Refusal("pkt_offset is out of the packet", INVALID_PARAMS)

    def rpc_start_traffic(self, arguments: dict[str, Any]) -> Any:
        port = self._owned(arguments)
        if not port.streams:
            raise Refusal(f"command 'start' cannot be executed on current state: '{port.state}'")
        duration_s = self._need(arguments, "duration", float)
        port.rate_pps = self._rate(port, arguments)
        port.stops_at_s = time.monotonic() + duration_s if duration_s > 0 else float("inf")
        port.state = "TX"
        return {"multiplier": 1.0, "ts": time.time()}

    def rpc_update_traffic(self, arguments: dict[str, Any]) -> Any:
        port = self._owned(arguments)
        if port.state != "TX":
            raise Refusal(f"command 'update' cannot be executed on current state: '{port.state}'")
        port.rate_pps = self._rate(port, arguments)
        return {"multiplier": 1.0}

    def rpc_stop_traffic(self, arguments: dict[str, Any]) -> Any:
        port = self._owned(arguments)
        port.rate_pps = 0.0
        port.state = "STREAMS" if port.streams else "IDLE"
        return {}

    def _rate(self, port: TrexPort, arguments: dict[str, Any]) -> float:
        """Return packets per second of a multiplier; those of latency streams are part of it and stay as they are."""
        multiplier = self._need(arguments, "mul", dict)
        if not port.is_up:
            raise Refusal("Link state is DOWN.")
        mean_bits = self._mean_wire_bits(port)
        value: float = self._need(multiplier, "value", float)
        kind = self._need(multiplier, "type", str)
        if self._need(multiplier, "op", str) != "abs":
            raise Refusal("only abs in a stand-in")
        line_pps = self.speed_gbps * 1e9 / mean_bits
        rate = {"pps": value, "percentage": value / 100 * line_pps, "bpsl1": value / mean_bits}[kind]
        if rate <= 0:
            raise Refusal("multiplier can't be zero", INVALID_PARAMS)
        if rate > line_pps * 1.0001 and not self._need(arguments, "force", bool):
            raise Refusal(
                f"Expected L1 B/W: '{rate * mean_bits / 1e9:g} Gbps' exceeds port line rate: '{self.speed_gbps:g} Gbps'"
            )
        return rate

    def _mean_wire_bits(self, port: TrexPort) -> float:
        shares = [(stream["mode"]["rate"]["value"], self._wire_bits(stream)) for stream in port.streams.values()]
        return float(sum(share * bits for share, bits in shares) / sum(share for share, _ in shares))

    @staticmethod
    def _wire_bits(stream: Mapping[str, Any]) -> int:
        return (max(len(base64.b64decode(stream["packet"]["binary"])), 60) + 24) * 8

    def _port(self, arguments: dict[str, Any]) -> TrexPort:
        index: int = self._need(arguments, "port_id", int)
        if not 0 <= index < len(self.ports):
            known = " ".join(str(port.index) for port in self.ports)
            raise Refusal(f"invalid port id - should be: {known}")
        return self.ports[index]

    def _owned(self, arguments: dict[str, Any]) -> TrexPort:
        port = self._port(arguments)
        if self.try_again:
            self.try_again -= 1
            raise Refusal("Port is being configured", TRY_AGAIN)
        if not port.owner:
            raise Refusal("please acquire the port before modifying port state")
        if arguments.get("handler") != port.handler:
            raise Refusal("port is not owned by you or your current executing session")
        return port

    @staticmethod
    def _need(arguments: Mapping[str, Any], key: str, kind: type) -> Any:
        value = arguments.get(key)
        if value is None:
            raise Refusal(
                f"field '{key}' value is null" if key in arguments else f"field '{key}' is missing", INVALID_PARAMS
            )
        kinds = (int, float) if kind is float else (kind,)
        if not isinstance(value, kinds) or (isinstance(value, bool) and kind is not bool):
            raise Refusal(f"field '{key}' is '{type(value).__name__}', expecting '{kind.__name__}'", INVALID_PARAMS)
        return value

    @staticmethod
    def _letters() -> str:
        return "".join(random.choices(string.ascii_letters, k=8))
