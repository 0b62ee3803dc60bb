"""Sounds of the table: made from figures when the cabinet starts, heard within a buffer of what happened."""
