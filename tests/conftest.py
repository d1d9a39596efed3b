"""Shared by all tests."""

# Imported before the test helpers look for integrations: they bring a package of the
# same name that would win otherwise.
import custom_components.caesar  # noqa: F401
