"""Judging one message: the cascade of rules, and the gate that has the last word. Pure values in, values out."""
