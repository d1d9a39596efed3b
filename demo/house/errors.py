"""The one kind of error that a person sees."""


class HouseError(Exception):
    """Something went wrong; the text says what, in plain words."""
