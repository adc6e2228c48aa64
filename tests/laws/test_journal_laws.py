"""Whatever happens in whatever order: a rollback leads to a settled state, the history is true, exit codes match."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.laws.journal_world import CONFIGURATIONS, REFUSALS, World, same, world
from vppcfg.errors import ExitCode
from vppcfg.model.state import State
from vppcfg.transaction.accepted import last_interrupted, was_rolled_back
from vppcfg.transaction.entry import ACCEPTED, IN_FORCE, ROLLBACKS, UNDECIDED, Origin, Record, Status

EVENTS = 13
"""In a sequence, besides the first apply."""
SIMULATED = 20
"""One sequence of so many is on a simulated VPP behind its binary API, which takes longer."""
MOST_POINTS = 60
"""Steps, looks at VPP and writes to the disk, at one of which a vppcfg may be killed."""


class Account:
    """What must be true of a world, told from what has happened to it and not from its journal."""

    def __init__(self, here: World) -> None:
        self.world = here
        self.settled: list[State] = [here.state()]
        self.is_interrupted = False
        self.before: dict[int, State] = {}
        """What VPP had before each change."""
        self.accepted: list[State] = []
        """What a boot may lead to; several after a kill, when it is not known how far it got. Empty without any."""
        self.is_sure = False
        """Whether something was accepted; else a boot may apply the file."""
        self.pending: State | None = None
        self.known: dict[int, Status] = {}
        self.log: list[str] = []

    # Events

    def apply(self) -> None:
        self._make("apply", self.world.apply, confirms=False)

    def apply_to_be_confirmed(self) -> None:
        self._make("apply --confirm", lambda: self.world.apply(60.0), confirms=True)

    def rollback(self) -> None:
        self._make("rollback", self.world.rollback, confirms=False)

    def rollback_to_be_confirmed(self) -> None:
        self._make("rollback --confirm", lambda: self.world.rollback(None, 60.0), confirms=True)

    def rollback_before_one(self) -> None:
        numbers = sorted(self.before)
        if numbers:
            number = self.world.randomness.choice(numbers)
            self._make(f"rollback {number}", lambda: self.world.rollback(number), confirms=False)

    def boot(self) -> None:
        self._make("boot", self.world.boot, confirms=False)

    def restart_and_boot(self) -> None:
        self.restart()
        self.boot()

    def restart(self) -> None:
        self.world.restart()
        self.is_interrupted = False
        self.log.append("restart")

    def edit(self) -> None:
        name = self.world.randomness.choice(sorted(CONFIGURATIONS))
        self.world.file.write_text(CONFIGURATIONS[name])
        self.log.append(f"edit {name}")

    def drift(self) -> None:
        self.world.drift()
        self.log.append("drift")

    def confirm(self) -> None:
        waits = self._waiting()
        code = self._run("confirm", self.world.confirm)
        if code is None:
            self.accepted += [self.pending] if self.pending is not None else []
        elif code is ExitCode.DONE:
            assert waits is not None
            assert waits.entry.boot_id == f"run {self.world.run}"
            assert self.pending is not None
            self.accepted, self.pending, self.is_sure = [self.pending], None, True
            assert self._status(waits.entry.number) is Status.CONFIRMED
        else:
            assert code in REFUSALS
            was_restarted = waits is not None and waits.entry.boot_id != f"run {self.world.run}"
            assert waits is None or waits.status is not Status.WAITING or was_restarted or self._is_back(waits)

    def timer(self) -> None:
        if not self.world.timer_lives:
            return
        number = max(self.world.timer_lives)
        record = next((each for each in self.world.records() if each.entry.number == number), None)
        was_undecided = record is not None and record.status in UNDECIDED
        before = self.world.state()
        code = self._run(f"timer {number}", lambda: self.world.timer(number))
        self.world.timer_lives.discard(number)
        if code is not None:
            assert code is ExitCode.DONE
            assert self._status(number) not in UNDECIDED
            if was_undecided:
                self._assert_settled()
                self.is_interrupted, self.pending = False, None
        else:
            self.is_interrupted = self.is_interrupted or not same(self.world.state(), before)

    # What is looked at

    def _make(self, name: str, work: Callable[[], ExitCode], *, confirms: bool) -> None:
        before, numbers, waits = self.world.state(), set(self.known), self._waiting()
        had = list(self.accepted)
        if not self.is_interrupted:
            self.settled.append(before)
        code = self._run(name, work)
        now = self.world.state()
        for record in self.world.records():
            if record.entry.number not in numbers:
                self.before[record.entry.number] = before
        newest = self.world.records()[-1] if self.world.records() else None
        if code is None:
            self.is_interrupted = self.is_interrupted or not same(now, before)
            if newest is not None:
                self.accepted.append(self.world.target.journal().after(newest.entry.number))
                self.pending = self.world.target.journal().after(newest.entry.number)
        elif code is ExitCode.DONE:
            self.is_interrupted = False
            self._made(name, newest, now, had, confirms=confirms)
        elif code in REFUSALS:
            assert same(now, before)
            self._assert_refusable(name, waits)
        else:
            assert code is ExitCode.ROLLED_BACK
            assert same(now, before)

    def _made(self, name: str, newest: Record | None, now: State, had: list[State], *, confirms: bool) -> None:
        if name.startswith("apply"):
            assert same(now, self.world.wanted())
            self.settled.append(now)
        elif name == "boot":
            possible = had if self.is_sure else [*had, self.world.wanted()]
            assert any(same(now, state) for state in possible)
            assert last_interrupted(reversed(self.world.records())) is None
        elif name.startswith("rollback "):
            number = name.split()[-1]
            assert number == "--confirm" or same(now, self.before[int(number)])
        if name in {"rollback", "rollback --confirm"}:
            self._assert_settled()
        is_waiting = newest is not None and newest.status is Status.WAITING
        assert confirms or not is_waiting
        if is_waiting:
            self.pending = now
        else:
            self.accepted, self.pending, self.is_sure = [now], None, True

    def _assert_refusable(self, name: str, waits: Record | None) -> None:
        """Check that there was a reason to refuse."""
        if waits is not None:
            return
        records = self.world.records()
        if name.startswith("rollback"):
            assert not any(
                record.status in IN_FORCE and record.entry.origin not in {*ROLLBACKS, Origin.BOOT} for record in records
            )
        elif name == "boot":
            assert was_rolled_back(reversed(records), self.world.loaded().digest)
        else:
            assert any(record.timer is not None and record.status in UNDECIDED for record in records)

    def _assert_settled(self) -> None:
        assert any(same(self.world.state(), state) for state in self.settled)

    def _run(self, name: str, work: Callable[[], ExitCode]) -> ExitCode | None:
        """Run a vppcfg, killed at some point or refused a step perhaps, and check that the history tells the truth."""
        randomness, before = self.world.randomness, self.world.state()
        if randomness.random() < 0.3:
            self.world.kill_in = randomness.randrange(MOST_POINTS)
        elif randomness.random() < 0.1:
            self.world.refuse_in = randomness.randrange(4)
        self.log.append(f"{name} kill_in={self.world.kill_in} refuse_in={self.world.refuse_in}")
        code = self.world.outcome(work)
        self.log.append(f"    {code!r}")
        self._check_history(name, before, is_killed=code is None)
        return code

    def _check_history(self, name: str, before: State, *, is_killed: bool) -> None:
        """Check every line that is new in the history, or says something else than before."""
        records, journal, now = self.world.records(), self.world.target.journal(), self.world.state()
        for record in records:
            number, status = record.entry.number, record.status
            status = Status.CUT_OFF if status is Status.STARTED else status
            if self.known.get(number) is status:
                continue
            if status in {Status.APPLIED, Status.WAITING}:
                assert same(now, journal.after(number))
            elif status is Status.CONFIRMED:
                assert name == "confirm"
            elif status is Status.REVERTED:
                assert name == "boot" or same(now, before)
            elif status is Status.ROLLED_BACK:
                was_restarted = record.timer is not None and record.entry.boot_id != f"run {self.world.run}"
                assert was_restarted or self._is_back(record) or name.startswith(("rollback", "timer"))
            else:
                assert status is Status.CUT_OFF
                assert is_killed
            self.known[number] = status
        self.known = {number: self.known[number] for number in (record.entry.number for record in records)}

    def _is_back(self, record: Record) -> bool:
        """Return whether a rollback has undone a change, as the rollback's own entry says."""
        number = record.entry.number
        return any(
            other.entry.origin in ROLLBACKS
            and other.status in ACCEPTED
            and other.entry.target <= number < other.entry.number
            for other in self.world.records()
        )

    def _waiting(self) -> Record | None:
        return next((each for each in reversed(self.world.records()) if each.timer and each.status in UNDECIDED), None)

    def _status(self, number: int) -> Status:
        return next(record.status for record in self.world.records() if record.entry.number == number)


KINDS = (
    *(Account.apply,) * 4,
    *(Account.edit,) * 4,
    *(Account.rollback,) * 3,
    *(Account.confirm,) * 2,
    *(Account.timer,) * 2,
    *(Account.apply_to_be_confirmed,) * 2,
    Account.rollback_to_be_confirmed,
    Account.rollback_before_one,
    Account.boot,
    Account.restart_and_boot,
    Account.restart,
    Account.drift,
)


def live_through(folder: Path, patch: pytest.MonkeyPatch, seed: int) -> None:
    """Let a random sequence of events happen to a router, and check each of them."""
    with patch.context() as here, world(folder, here, seed, is_simulated=seed % SIMULATED == 0) as router:
        account = Account(router)
        try:
            account.apply()
            for _ in range(EVENTS):
                router.randomness.choice(KINDS)(account)
            settle_at_the_end(account)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}:\n" + "\n".join(account.log)) from error


def settle_at_the_end(account: Account) -> None:
    """Check that one command more, or a decision and one command, ends everything."""
    router = account.world
    if account._waiting() is not None:
        assert router.outcome(router.rollback) is ExitCode.DONE
    assert router.outcome(router.apply) is ExitCode.DONE
    assert same(router.state(), router.wanted())


@pytest.mark.parametrize("first", range(0, 12, 6))
def test_a_rollback_leads_to_a_settled_state_and_the_history_is_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    for seed in range(first, first + 6):
        live_through(tmp_path / str(seed), monkeypatch, seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(12, 2012, 100))
def test_the_same_of_two_thousand_sequences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    for seed in range(first, first + 100):
        live_through(tmp_path / str(seed), monkeypatch, seed)
