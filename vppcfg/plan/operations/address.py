"""Addresses of an interface, its own and borrowed ones."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AddAddress:
    """sw_interface_add_del_address: put an address on an interface."""

    interface: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveAddress:
    """sw_interface_add_del_address: take an address off an interface."""

    interface: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUnnumbered:
    """sw_interface_set_unnumbered: borrow the addresses of `donor`."""

    interface: str
    donor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsetUnnumbered:
    """sw_interface_set_unnumbered: stop borrowing the addresses of `donor`."""

    interface: str
    donor: str
