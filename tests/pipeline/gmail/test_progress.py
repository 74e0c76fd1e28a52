"""Progress tells rate, time left and units left, every few seconds and not at every read."""

from pipeline.clock import VirtualMonotonic
from pipeline.gmail.progress import Progress, progress_line
from pipeline.gmail.quota import Meter
from pipeline.models.policy import Quota


def test_a_line_has_rate_time_and_units_left() -> None:
    line = progress_line(300, 900, seconds=60.0, units_left=12)
    assert line == "read 300 of 900 messages (33%), 300 a minute, 2.0 minutes left, 12 units left"
    assert "minute" not in progress_line(0, 0, seconds=0.0, units_left=12)


def test_a_long_read_speaks_every_two_seconds_and_units_never_go_below_nothing() -> None:
    clock, said = VirtualMonotonic(), list[str]()
    meter = Meter(Quota(), clock)
    progress = Progress(1000, meter, 15_000, said.append)
    for _ in range(1000):
        meter.charge("messages.get")
        progress.step()
    assert 60 < len(said) < 110, "about 200 seconds at 300 reads a minute"
    assert said[-1].endswith(" 0 units left")
    assert "a minute" in said[0]
