"""Which security policy database an interface is bound to, where VPP tells its place and not its id."""

from vppcfg.vpp.unmanaged.ipsec import ids_by_place


def test_ids_are_known_when_every_database_is_in_use() -> None:
    assert ids_by_place({0}, [500]) == {0: 500}
    assert ids_by_place({3}, [500]) == {3: 500}
    assert ids_by_place({1, 2}, [501, 502]) == {1: 501, 2: 502}


def test_no_id_is_guessed_when_a_database_is_in_no_use() -> None:
    """Places 1 and 2 are taken, place 0 is free again: the binding at 1 is to 501, not to the second id, 502."""
    assert ids_by_place({1}, [501, 502]) == {}
    assert ids_by_place({0, 1}, [500]) == {}
