"""Searches the web with SearXNG, Brave Search or Tavily."""

from .worker import SPEC, WebSearch, create

__all__ = ["SPEC", "WebSearch", "create"]
