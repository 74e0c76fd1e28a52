"""Tests of the commands that are no stages."""
