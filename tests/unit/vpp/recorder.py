"""A VPP that does what it is told and remembers it."""

from tests.unit.vpp.stub_vpp import Request, StubVpp, connected
from tests.wireguard_keys import KEYS
from vppcfg.dataplane import Performance
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import Value

PORT = 1
_QUESTIONS = ("sockclnt_create", "sockclnt_delete", "control_ping", "get_api_json", "show_version", "cli_inband")


class Recorder(StubVpp):
    """A VPP with two ports that does what it is told, except where `refusals` says otherwise, and remembers it."""

    def __init__(self, release: str = "26.10", plugins: tuple[str, ...] = ("linux_cp",)) -> None:
        super().__init__(release, plugins)
        self.add_interface(PORT, "port")
        self.add_interface(2, "other")
        self.tell("fib_source_dump", "fib_source_details", {"src.id": 40, "src.name": "vppcfg"})
        self.told: list[Request] = []
        self.refusals: dict[int, int] = {}
        """Return codes by the position of the request."""
        self.next_index = 1000
        for name in self.messages:
            if f"{name}_reply" in self.messages and name not in _QUESTIONS:
                self.answers[name] = self.take
        show = self.answers["cli_inband"]
        self.answers["cli_inband"] = lambda asked: show(asked) if asked.text.startswith("show ") else self.take(asked)

    def take(self, request: Request) -> list[bytes]:
        """Answer a request; what is new gets the next free index."""
        self.told.append(request)
        reply = f"{request.message.name}_reply"
        values: dict[str, Value] = {"retval": self.refusals.get(len(self.told) - 1, 0)}
        for path in ("sw_if_index", "acl_index"):
            if self.messages[reply].has(path):
                values[path] = self.next_index
                self.next_index += 1
        return [self.say(reply, request, values)]


def perform(stub: Recorder, *operations: Operation) -> Performance:
    """Return what became of `operations`."""
    with connected(stub) as plane:
        plane.use_keys(KEYS)
        return plane.perform(operations)
