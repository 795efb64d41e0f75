"""Measurements, never asserts: `python -m tests.bench hook|add`."""
