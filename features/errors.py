"""The errors that a user can cause and mend."""

from __future__ import annotations


class InputError(Exception):
    """Something given by the user cannot be used. The message says what was expected, found, where, and what to do."""
