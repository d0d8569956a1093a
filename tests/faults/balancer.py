"""nginx in front of two replicas, with the configuration of deploy/nginx; only addresses are put in."""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Self

import httpx

CONFIG = Path(__file__).parents[2] / "deploy/nginx/countersign.conf"
SERVER = "server chat:7860 max_fails=2 fail_timeout=5s;"
LISTEN = "listen 8080;"
AROUND = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    add_header X-Upstream $upstream_addr always;
    {servers}
}}
"""


class Balancer:
    """A running nginx; `agent_of(address)` is a browser that it sends to the replica at this address."""

    def __init__(self, folder: Path, replicas: list[str]):
        program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
        assert program, "the test of replicas needs nginx: run tests/install_nginx.sh"
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        config = CONFIG.read_text()
        assert SERVER in config
        assert LISTEN in config
        servers = "\n".join(SERVER.replace("chat:7860", address) for address in replicas)
        text = config.replace(SERVER, servers).replace(LISTEN, f"listen 127.0.0.1:{port};")
        (folder / "nginx.conf").write_text(AROUND.format(folder=folder, servers=text))
        self._command = [program, "-c", str(folder / "nginx.conf"), "-p", str(folder), "-e", str(folder / "error.log")]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._command)
        for _ in range(200):
            try:
                httpx.get(f"{self.url}/healthz", timeout=2)
                return self
            except httpx.TransportError:
                assert self._process.poll() is None, "nginx did not start"
                time.sleep(0.05)
        raise TimeoutError("nginx does not answer")

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.wait()

    def agent_of(self, address: str) -> str:
        """A user agent whose requests nginx sends to this replica; raises `StopIteration` if there is none."""
        names = (f"browser-{number}" for number in range(200))
        return next(name for name in names if self._served_by(name) == address)

    def _served_by(self, agent: str) -> str:
        return httpx.get(f"{self.url}/healthz", headers={"User-Agent": agent}).headers["X-Upstream"]
