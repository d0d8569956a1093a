"""What every answer carries, and what is closed."""

from dataclasses import replace

import httpx
import pytest

from agent.settings import OWN_NAMES
from tests.ui.conftest import sign_in
from tests.ui.house import OPTIONS, House


async def test_the_content_policy_lets_only_listed_sites_frame_the_page(http):
    policy = (await http.get("/signin")).headers["content-security-policy"]
    assert "frame-ancestors 'self' https://bi.example.com" in policy
    assert "object-src 'none'" in policy
    assert "form-action 'self'" in policy
    assert "connect-src 'self'" in policy


async def test_an_answer_that_is_data_may_load_nothing_and_be_framed_by_nobody(http):
    headers = (await http.get("/healthz")).headers
    assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert headers["x-content-type-options"] == "nosniff"


async def test_other_origins_may_not_read(http):
    await sign_in(http)
    evil = await http.get("/ui/shell", headers={"origin": "https://evil.example"})
    assert "access-control-allow-origin" not in evil.headers
    preflight = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    assert (await http.options("/gradio_api/queue/join", headers=preflight)).status_code == 400
    listed = await http.get("/healthz", headers={"origin": "https://bi.example.com"})
    assert listed.headers["access-control-allow-origin"] == "https://bi.example.com"


@pytest.mark.parametrize(
    "path",
    ["/gradio_api/proxy=http://169.254.169.254/", "/gradio_api/file=http://169.254.169.254/", "/gradio_api/dev/reload"],
)
async def test_gradios_proxy_routes_are_closed(http, path):
    assert (await http.get(path)).status_code == 404


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:7860", 200),
        ("localhost:7860", 200),
        ("[::1]:7860", 200),
        ("chat.localhost", 200),
        ("evil.example", 400),
        ("127.0.0.1.evil.example:7860", 400),
        ("evillocalhost", 400),
        ("", 400),
    ],
)
async def test_t59_a_name_that_leads_here_for_once_is_not_answered(host, status):
    app = House(replace(OPTIONS, allowed_hosts=OWN_NAMES)).app()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://chat.test") as client:
        assert (await client.get("/signin", headers={"host": host})).status_code == status


async def test_files_of_the_machine_are_not_served(http):
    assert (await http.get("/gradio_api/file=/etc/passwd")).status_code in (403, 404)


async def test_static_files_are_kept_for_good_and_named_by_their_contents(http):
    page = (await http.get("/signin")).text
    sheet = page.split('href="')[1].split('"')[0]
    answer = await http.get(sheet)
    assert answer.status_code == 200
    assert "immutable" in answer.headers["cache-control"]
    script = await http.get(sheet.split("/css/")[0] + "/js/strings.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert script.text.startswith("export default")


async def test_readiness_follows_the_parts(http, house):
    assert (await http.get("/readyz")).status_code == 200
    house.ready["database"] = False
    try:
        answer = await http.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["checks"] == {"database": False}
    finally:
        house.ready["database"] = True


async def test_bodies_are_limited_whether_their_length_is_told_or_not(http):
    await sign_in(http)
    origin = {"origin": "http://chat.test"}
    told = await http.post("/ui/rename", content=b"x" * 300_000, headers=origin)
    assert told.status_code == 413

    async def untold():
        for _ in range(40):
            yield b"x" * 10_000

    counted = await http.post("/ui/rename", content=untold(), headers=origin)
    assert counted.status_code == 413
    assert (await http.post("/gradio_api/queue/join", content=b"x" * 9_000_000, headers=origin)).status_code == 413


async def test_nobody_can_leave_files_here(http):
    assert (await http.post("/gradio_api/upload", files={"files": ("a.html", b"<script>")})).status_code == 404
