"""Shared by all tests."""

# The test helpers bring a package of the same name that would win otherwise.
import custom_components.caesar  # noqa: F401  before they look for integrations
