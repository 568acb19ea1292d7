"""Reads the filters of the PostgreSQL extension cuckoo_filter, and builds Bloom filters for it."""

from .builder import BloomFilterBuilder
from .errors import CapacityError, InvalidImage, KindError
from .filter import Filter
from .layer import Layer

__version__ = "1.0.0"
__all__ = ["BloomFilterBuilder", "CapacityError", "Filter", "InvalidImage", "KindError", "Layer"]
