"""What a command of VPP takes is read from its function in C, and nothing is said where that is not certain."""

import pytest

from tools.command_formats import formats_of

ON_A_COPY = """
static clib_error_t *
f (vlib_main_t * vm, unformat_input_t * input, CLIB_UNUSED (vlib_cli_command_t * cmd))
{
  unformat_input_t _line_input, *line_input = &_line_input;
  if (!unformat_user (input, unformat_line_input, line_input))
    return 0;
  while (unformat_check_input (line_input) != UNFORMAT_END_OF_INPUT)
    {
      if (unformat (line_input, "spi %u salt 0x%x", &spi, &salt))
        ; /* unformat (line_input, "comment") */
      else if (unformat (line_input, "%U/%d" " via", unformat_ip4_address, &a, &n))
        ;
      else if (unformat (line_input, "%U", unformat_vnet_sw_interface, vnm, &i))
        ;
      else if (unformat (line_input, "mode %U fast", unformat_mode, &mode))
        ;
      else
        ENDING
    }
  return 0;
}
"""
ON_THE_LINE = """
static clib_error_t *f (vlib_main_t *vm, unformat_input_t *input, vlib_cli_command_t *cmd)
{
  BODY
  return 0;
}
"""


@pytest.mark.parametrize(
    ("ending", "is_known"),
    [
        ('{ error = clib_error_return (0, "unknown `%U\'", format_unformat_error, line_input); goto done; }', True),
        ("return unformat_parse_error (line_input);", True),
        ("break;", False),
        ('{ clib_warning ("parse error"); goto done; }', False),
    ],
)
def test_a_loop_over_a_copy_of_the_line_must_end_with_an_error(ending: str, is_known: bool) -> None:
    known = ("<interface>", "<ip4>/<number> via", "mode <any>", "spi <number> salt 0x<hex>")
    assert formats_of(ON_A_COPY.replace("ENDING", ending), "f") == (known if is_known else None)


@pytest.mark.parametrize(
    ("body", "formats"),
    [
        ("", ()),
        ('if (unformat (input, "on")) on = 1; else if (unformat (input, "%s", &name)) ;', ("<word>", "on")),
        ('if (unformat (input, "%U", unformat_mode, &mode)) ;', None),
        ("return parse (vm, input);", None),
        ('#define _(a) unformat (input, "x")\n', None),
    ],
)
def test_what_is_read_from_the_line_itself_needs_no_loop(body: str, formats: tuple[str, ...] | None) -> None:
    assert formats_of(ON_THE_LINE.replace("BODY", body), "f") == formats


def test_a_function_that_leaves_all_to_another_takes_what_that_takes() -> None:
    calling = "static clib_error_t *g (vlib_main_t *vm, unformat_input_t *input, vlib_cli_command_t *cmd)\n"
    called = ON_THE_LINE.replace("*cmd)", "*cmd, u8 is_add)").replace("BODY", 'unformat (input, "on");')
    assert formats_of(f"{called}{calling}{{\n  return f (vm, input, cmd, 1 /* is_add */ );\n}}\n", "g") == ("on",)
