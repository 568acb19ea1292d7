"""The exceptions of this package, besides TypeError and ValueError for arguments that no filter accepts."""

from __future__ import annotations

from typing import Optional


class InvalidImage(ValueError):
    """The bytes or the text are not a filter.

    ``rule`` is the number of the rule of docs/format.md that the image violates, or None if the text is not base64.
    """

    def __init__(self, message: str, rule: Optional[int] = None) -> None:
        super().__init__(message)
        self.rule = rule


class KindError(TypeError):
    """The filter holds values of another kind than the given one, or of a kind that this package does not support."""


class CapacityError(ValueError):
    """The filter being built has no room for the value."""
