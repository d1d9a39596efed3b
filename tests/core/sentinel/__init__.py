"""Tests of the sentinel: guards alone, without a gate."""
