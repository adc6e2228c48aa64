"""Natural order of names."""

from vppcfg.common.names import natural_key


def test_numbers_in_names_sort_as_numbers_and_parents_before_children() -> None:
    names = ["Gi10/0/0", "Gi2/0/0.1000", "Gi2/0/0", "Gi2/0/0.99", "eth0", "eth", "0x1", "Gi2/0/0.099"]
    ordered = ["0x1", "Gi2/0/0", "Gi2/0/0.099", "Gi2/0/0.99", "Gi2/0/0.1000", "Gi10/0/0", "eth", "eth0"]
    assert sorted(names, key=natural_key) == ordered


def test_a_number_longer_than_python_reads_is_sorted_all_the_same() -> None:
    assert natural_key("node" + "9" * 5001) > natural_key("node8")
