#!/usr/bin/env bash
# Brings nginx for the test of replicas where the platform allows it; says what to do where it does not.
set -euo pipefail
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    apt-get update -qq && apt-get install -y -qq --no-install-recommends nginx-light >/dev/null
elif command -v apt-get >/dev/null && sudo -n true 2>/dev/null; then
    sudo apt-get update -qq && sudo apt-get install -y -qq --no-install-recommends nginx-light >/dev/null
elif command -v brew >/dev/null; then
    brew install --quiet nginx
else
    echo "The test of replicas needs nginx on the PATH; install it and run make test-faults again." >&2
    exit 1
fi
