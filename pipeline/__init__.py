"""Shared vocabulary and the rim of gmailtriage. Floors: see docs/architecture.md."""
