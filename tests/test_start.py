"""The start of the product: what cannot start says why in one line, and a signal breaks it off in order."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from agent.settings import ConfigError, load_settings
from app import bound, furnish

ROOT = Path(__file__).parents[1]


def test_a_port_that_is_taken_is_told_before_anything_starts():
    with bound("127.0.0.1", 0) as taken:
        taken.listen()
        with pytest.raises(ConfigError, match=r"HOST, PORT: .*in use\); choose another"):
            bound("127.0.0.1", taken.getsockname()[1])


def test_an_address_that_is_none_is_told():
    with pytest.raises(ConfigError, match=r"HOST, PORT: cannot listen on 300\.1\.1\.1"):
        bound("300.1.1.1", 0)


def test_the_socket_sends_without_delay():
    with bound("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_a_data_folder_that_cannot_be_made_is_told(tmp_path: Path):
    (tmp_path / "file").write_text("")
    settings = load_settings(data_dir=tmp_path / "file")
    with pytest.raises(ConfigError, match="DATA_DIR: cannot write"), furnish(settings):
        pass


@pytest.mark.parametrize("url", ["foo", "mysql://a/b", "postgresql://[/x"])
def test_a_database_url_of_another_kind_is_told(url: str):
    with pytest.raises(ConfigError, match="DATABASE_URL: not an address of PostgreSQL"):
        load_settings(database_url=url)


def test_ctrl_c_during_the_start_ends_everything_without_a_trace(tmp_path: Path):
    tmp_path.chmod(0o755)
    settings = {**os.environ, "PORT": "0", "DATA_DIR": str(tmp_path / "data"), "DATABASE_URL": ""}
    process = subprocess.Popen(
        [sys.executable, "app.py"], cwd=ROOT, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True,
    )  # fmt: skip
    workspace = tmp_path / "data" / "workspace"
    while not workspace.exists():
        assert process.poll() is None
        time.sleep(0.01)
    children = psutil.Process(process.pid).children()
    os.killpg(process.pid, signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert (process.returncode, output.decode()) == (0, "")
    _, left = psutil.wait_procs(children, 5)
    assert left == []
