"""Chromium for the long tests."""

from tests.browser.conftest import chromium, driver  # noqa: F401
