"""What VPP's prompt takes of a line, as the simulator reads it."""

from vppcfg.simulator.command_line import Input


def test_a_length_of_thousands_of_digits_is_a_number_all_the_same() -> None:
    assert Input("192.0.2.1/" + "9" * 5000).prefix() == (False, 0xC0000201, 0xFFFFFFFF)
    assert Input("0" * 5000 + "1.0.2.1/24").prefix() is None
