"""Failpoints kill, pause and count, and do nothing outside of tests."""

import asyncio
import multiprocessing
import signal

import pytest

from agent.failpoints import Failpoints, Trap, _wait


def test_environment_is_read_in_test_mode_only():
    assert Failpoints.from_environment({"FAILPOINT": "K10:2"}).trap is None
    assert Failpoints.from_environment({"FAILPOINT": "K10:2", "FAILPOINTS": "test"}).trap == Trap("K10", 2)


@pytest.mark.parametrize("spec", ["K99", "K10:1:explode"])
def test_unknown_point_is_refused(spec):
    with pytest.raises(ValueError, match="is not one of"):
        Failpoints.from_environment({"FAILPOINT": spec, "FAILPOINTS": "test"})


def die(name: str, times: int, once) -> None:
    points = Failpoints(Trap("K10", 2, once=once))
    for _ in range(times):
        points.hit(name)


@pytest.mark.parametrize(("name", "times", "code"), [("K10", 2, -signal.SIGKILL), ("K10", 1, 0), ("K11", 5, 0)])
def test_kills_at_the_nth_time(name, times, code):
    process = multiprocessing.get_context("fork").Process(target=die, args=(name, times, None))
    process.start()
    process.join()
    assert process.exitcode == code


def test_once_file_disarms_later_processes(tmp_path):
    codes = []
    for _ in range(2):
        process = multiprocessing.get_context("fork").Process(target=die, args=("K10", 2, tmp_path / "once"))
        process.start()
        process.join()
        codes.append(process.exitcode)
    assert codes == [-signal.SIGKILL, 0]


async def test_pause_waits_for_the_file(tmp_path):
    gate = tmp_path / "gate"
    environ = {"FAILPOINT": f"K03:1:pause:{gate}", "FAILPOINTS": "test"}
    waiting = asyncio.create_task(Failpoints.from_environment(environ).reach("K03"))
    await asyncio.to_thread(_wait, gate.with_suffix(".reached"))
    assert not waiting.done()
    gate.touch()
    await asyncio.wait_for(waiting, 5)
