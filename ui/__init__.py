"""What a person sees. Gradio reads these when it is imported: no telemetry, no statistics of every event."""

import os

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("GRADIO_ANALYTICS_CACHE_FREQUENCY", "1000000000")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
