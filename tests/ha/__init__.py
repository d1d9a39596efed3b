"""Tests in Home Assistant's test instance."""
