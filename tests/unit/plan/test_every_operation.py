"""What every operation must have, in the places that know it: a new one that lacks any of it fails here."""

import re

from tests.kinds.operations import sampled_operations
from tests.operations import every_operation
from vppcfg.kinds.kind_list import KINDS
from vppcfg.operations.operation import CreateInterface, DeleteInterface, Operation
from vppcfg.vpp.messages.readable import api_call


def test_every_operation_is_one_of_a_kind_or_carries_over() -> None:
    of_kinds = {operation for kind in KINDS for operation in kind.operations}
    others = {each for each in every_operation() if each not in of_kinds}
    assert {each.__module__ for each in others} == {"vppcfg.operations.attachment"}


def test_every_operation_has_a_line_and_what_vpp_carries_out_a_message() -> None:
    for kind in every_operation():
        assert kind.cli is not Operation.cli, kind
        assert not kind.needs_vpp or kind.request is not Operation.request, kind


def test_an_operation_says_what_it_does_in_its_own_words() -> None:
    for kind in every_operation():
        assert kind.apply_to is not Operation.apply_to, kind
        assert kind.subject is not Operation.subject, kind
        assert (kind.__doc__ or "").partition("\n")[0].endswith("."), kind


def test_the_docstring_of_an_operation_names_its_message() -> None:
    for kind, message in {(type(each), api_call(each)[0]) for each in sampled_operations() if each.needs_vpp}:
        named = re.match(r"(\w+)(?: \(\w+\))?: ", kind.__doc__ or "")
        assert named is not None, kind
        assert re.fullmatch(rf"{named[1]}(_v\d)?", message), kind


def test_what_creates_and_deletes_interfaces_goes_by_its_name() -> None:
    assert {kind.__name__.replace("Create", "Delete") for kind in every_operation(CreateInterface)} == {
        kind.__name__ for kind in every_operation(DeleteInterface)
    }
