"""Addresses of an interface, its own and borrowed ones."""

from __future__ import annotations

from vppcfg.record import record


@record
class AddAddress:
    """sw_interface_add_del_address: put an address on an interface."""

    interface: str
    address: str


@record
class RemoveAddress:
    """sw_interface_add_del_address: take an address off an interface."""

    interface: str
    address: str


@record
class SetUnnumbered:
    """sw_interface_set_unnumbered: borrow the addresses of `donor`."""

    interface: str
    donor: str


@record
class UnsetUnnumbered:
    """sw_interface_set_unnumbered: stop borrowing the addresses of `donor`."""

    interface: str
    donor: str
