"""How long messages hold the workers, by the event log of a VPP 26.10."""

from vppcfg.vpp.barrier import BarrierClock

LOG = """\
6 of 20000 events in buffer, logger running
     1.000000000: api-msg: sw_interface_set_flags_2.0.0
     1.000100000: bar-sync-#1-e5-u0
     1.000400000: bar-rel-#1-e5-u0-t300
     1.000500000: api-msg-done(mp): sw_interface_set_flags
     1.100000000: cli-cmd: show event-logger
     1.100900000: bar-rel-#2-e5-u0-t900
     1.101000000: cli-cmd: show event-logger OK
     1.200000000: api-msg: ip_route_add_del
     1.201000000: bar-rel-#3-e5-u0-t1200
     1.201100000: api-msg-done(mp): ip_route_add_del
"""


def test_only_messages_count() -> None:
    ran = []

    def run(line: str) -> tuple[int, str]:
        ran.append(line)
        return 0, LOG

    for cpu_ms, held_ms in (([10.0, 40.0], 1.5), ([10.0, 11.25], 1.25)):
        clock = BarrierClock(run, iter(cpu_ms).__next__)
        clock.start()
        assert ran[-1] == "event-logger clear"
        assert clock.held_ms() == held_ms, "what its thread has not run, it was not VPP that took"
