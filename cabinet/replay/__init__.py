"""Recorded matches played again: on the screen, as text, or only to see whether they come out equal."""
