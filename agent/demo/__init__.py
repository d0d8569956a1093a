"""The demo model: a rule-based chat model that needs no key and no network, and says so."""

from agent.demo.model import DemoChatModel

__all__ = ["DemoChatModel"]
