"""The full screen of `vppcfg top`: keys in, lines out, by curses."""

from __future__ import annotations

import curses
import time
from collections.abc import Callable
from contextlib import suppress

from vppcfg.app.monitoring.following import RouterFollower, RouterView
from vppcfg.cli.output import Colour
from vppcfg.cli.top_view import COLUMNS, Choice, Page, ScreenLine, name_of, rows_of, screen
from vppcfg.common.printable import printable

_COLOURS = {Colour.BAD: curses.COLOR_RED, Colour.GOOD: curses.COLOR_GREEN, Colour.CHANGED: curses.COLOR_YELLOW}
_PAIRS = {colour: number for number, colour in enumerate(_COLOURS, start=1)}
_PAGES = {"i": Page.INTERFACES, "w": Page.WORKERS, "n": Page.NODES, "d": Page.DROPS}
_ESCAPE, _ENTERS, _DELETES = 27, (10, 13, curses.KEY_ENTER), (8, 127, curses.KEY_BACKSPACE)
_STEP_MS = 200
_ESCAPE_DELAY_MS = 25
LEAST_WIDTH, LEAST_HEIGHT = 40, 10


def run_screen(following: RouterFollower, choice: Choice, interval_s: float, *, is_coloured: bool) -> None:
    """Show the router until q is pressed."""
    curses.set_escdelay(_ESCAPE_DELAY_MS)
    curses.wrapper(lambda window: _Screen(window, following, choice, interval_s, is_coloured=is_coloured).run())


class _Screen:
    def __init__(
        self, window: curses.window, following: RouterFollower, choice: Choice, interval_s: float, *, is_coloured: bool
    ) -> None:
        self._window, self._following, self._choice = window, following, choice
        self._interval_s = interval_s
        self._is_coloured = is_coloured and curses.has_colors()
        window.timeout(_STEP_MS)
        window.keypad(True)
        with suppress(curses.error):  # a terminal that cannot hide its cursor
            curses.curs_set(0)
        if self._is_coloured:
            curses.use_default_colors()
            for colour, number in _PAIRS.items():
                curses.init_pair(number, _COLOURS[colour], -1)

    def run(self) -> None:
        """Look, draw, and take keys, until one ends it."""
        view, due_s = self._following.look(), time.monotonic() + self._interval_s
        self._draw(view)
        while True:
            key = self._key()
            if key is not None and not press(self._choice, key, view, self._rows_shown()):
                return
            if time.monotonic() >= due_s:
                due_s = time.monotonic() + self._interval_s
                found = self._following.look()
                view = view if self._choice.is_frozen else found
            self._draw(view)

    def _key(self) -> int | str | None:
        try:
            return self._window.get_wch()
        except curses.error:
            return None

    def _rows_shown(self) -> int:
        return max(self._window.getmaxyx()[0] - 12, 1)

    def _draw(self, view: RouterView) -> None:
        height, width = self._window.getmaxyx()
        self._window.erase()
        if width < LEAST_WIDTH or height < LEAST_HEIGHT:
            self._put(0, ScreenLine(text=f"{width}x{height} is too small"[: max(width - 1, 0)]))
        else:
            for row, line in enumerate(screen(view, self._choice, width, height)):
                self._put(row, line)
        self._window.refresh()

    def _put(self, row: int, line: ScreenLine) -> None:
        style = curses.A_REVERSE if line.is_selected else 0
        style |= curses.A_BOLD if line.colour is Colour.STRONG else 0
        if self._is_coloured and line.colour in _PAIRS:
            style |= curses.color_pair(_PAIRS[line.colour])
        with suppress(curses.error):  # the last place of a screen cannot be written to without moving on
            self._window.addstr(row, 0, line.text, style)


def press(choice: Choice, key: int | str, view: RouterView, page_rows: int) -> bool:
    """Change what is shown by a key; return False for the one that ends it."""
    code = ord(key) if isinstance(key, str) else key
    if choice.typing is not None:
        _type(choice, key, code)
        return True
    if key == "q":
        return False
    rows = rows_of(view, choice)
    choice.selected = max(0, min(choice.selected, len(rows) - 1))
    if isinstance(key, str) and key in _PAGES:
        choice.page, choice.selected, choice.detail = _PAGES[key], 0, ""
    elif code in _ENTERS and rows and choice.page is not Page.DROPS:
        choice.detail = name_of(rows[choice.selected])
    elif code == _ESCAPE:
        _step_back(choice)
    else:
        _ACTIONS.get(key, _move(key, page_rows, len(rows)))(choice)
    return True


def _type(choice: Choice, key: int | str, code: int) -> None:
    """Take a key of a filter that is being typed."""
    assert choice.typing is not None
    if code in _ENTERS:
        choice.filter, choice.typing, choice.selected = choice.typing, None, 0
    elif code == _ESCAPE:
        choice.typing = None
    elif code in _DELETES:
        choice.typing = choice.typing[:-1]
    elif isinstance(key, str) and printable(key) == key:
        choice.typing += key


def _step_back(choice: Choice) -> None:
    if choice.detail:
        choice.detail = ""
    else:
        choice.filter = ""


def _move(key: int | str, page_rows: int, count: int) -> Callable[[Choice], None]:
    steps: dict[int | str, int] = {
        curses.KEY_UP: -1, "k": -1, curses.KEY_DOWN: 1, "j": 1,
        curses.KEY_PPAGE: -page_rows, curses.KEY_NPAGE: page_rows, curses.KEY_HOME: -count, curses.KEY_END: count,
    }  # fmt: skip
    step = steps.get(key, 0)

    def move(choice: Choice) -> None:
        choice.selected = max(0, min(choice.selected + step, count - 1))

    return move


def _sort_next(choice: Choice) -> None:
    """Sort by the next column; behind the last one comes the usual order."""
    column = choice.sort.get(choice.page, -1) + 1
    if column < len(COLUMNS[choice.page]):
        choice.sort[choice.page] = column
    else:
        del choice.sort[choice.page]


def _reverse(choice: Choice) -> None:
    choice.is_reversed = not choice.is_reversed


def _freeze(choice: Choice) -> None:
    choice.is_frozen = not choice.is_frozen


def _begin_filter(choice: Choice) -> None:
    choice.typing = choice.filter


_ACTIONS: dict[int | str, Callable[[Choice], None]] = {
    "s": _sort_next, "r": _reverse, " ": _freeze, "/": _begin_filter,
}  # fmt: skip
