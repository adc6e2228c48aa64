"""What others have configured on interfaces, as it is written, stored and counted."""

import json

from vppcfg.model.attachment import (
    ApiCall,
    Attachment,
    Layer,
    cli_call,
    counted,
    in_order,
    index_placeholder,
    stored_call,
)
from vppcfg.model.state import State
from vppcfg.plan.state_document import document_of, state_of

ROUTE = Attachment(
    holder="loop10",
    kind="route of the prompt",
    name="10.0.0.0/8 via loop10",
    layer=Layer.ROUTED,
    put=stored_call("ip_route_add_del_v2", {"is_add": True, "route.prefix.address.un": b"\x0a\0"}, "paths", [{"x": 1}]),
    take=cli_call("ip route del 10.0.0.0/8 via loop10", "loop10"),
    outlives=True,
    lines=("ip route add 10.0.0.0/8 via loop10",),
    removal="ip route del 10.0.0.0/8 via loop10",
)


def test_a_call_holds_numbers_bytes_and_names_in_a_form_that_can_be_stored() -> None:
    call = stored_call(
        "m", {"a": 7, "b": b"\x01\xff", "c": index_placeholder("loop10"), "d": False}, "l", [{"x": 1, "y": 2}]
    )
    assert call == ApiCall(
        message="m", values=("a=7", "b=x01ff", "c=@loop10", "d=0"), list_name="l", elements=("x=1 y=2",)
    )
    assert list(call.refers()) == ["loop10"]


def test_a_state_document_keeps_what_others_have_configured() -> None:
    state = State(unmanaged=(ROUTE, Attachment(holder="loop10", kind="IPsec protection", guards=True)))
    document = json.loads(json.dumps(document_of(state)))
    assert state_of(document).unmanaged == state.unmanaged
    assert "unmanaged" not in document_of(State()), "an empty list would be unknown to earlier releases"


def test_several_of_a_kind_are_counted() -> None:
    others = [Attachment(holder="loop10", kind="route of the prompt", name=f"10.{each}.0.0/16") for each in range(2)]
    nat = Attachment(holder="loop10", kind="NAT44 inside")
    assert counted(in_order([ROUTE, *others, nat, nat])) == "NAT44 inside, 3 routes of the prompt"


def test_a_name_that_is_no_single_word_gets_no_line_at_the_prompt() -> None:
    for name in ("loop 10", "loop10\nquit", "loop10;quit", ""):
        assert cli_call(f"ip route del 10.0.0.0/8 via {name}", name) is None
    assert cli_call("ip route del 10.0.0.0/8 via loop10", "loop10") is not None


def test_features_are_named_rather_than_counted() -> None:
    found = [Attachment(holder="eth0", kind="feature", name=name) for name in ("ip4-map", "ip6-map-t")]
    assert counted(found) == "features ip4-map and ip6-map-t"
