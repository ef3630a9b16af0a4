"""The root of all errors of this package. It lies below everything else, so that every layer can extend it."""


class IntemiError(Exception):
    """The root of the family: catch it to catch everything that this package raises on purpose."""
