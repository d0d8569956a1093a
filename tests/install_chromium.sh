#!/usr/bin/env bash
# Brings a Chromium for the browser tests where the platform allows it; says what to do where it does not.
set -euo pipefail
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null
elif command -v apt-get >/dev/null && sudo -n true 2>/dev/null; then
    sudo apt-get update -qq && sudo apt-get install -y -qq --no-install-recommends chromium >/dev/null
elif command -v brew >/dev/null; then
    brew install --quiet --cask chromium
else
    echo "The browser tests need Chromium on the PATH; install it and run make test again." >&2
    exit 1
fi
