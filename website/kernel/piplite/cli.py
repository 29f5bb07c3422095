"""What a cell with ``%pip`` becomes: a sentence that says why nothing was installed."""

MESSAGE = "This site brings its packages with it and asks no other host; on your own machine, pip works."


async def get_transformed_code(arguments: list[str]) -> str:
    """Return the code that stands in a cell for ``%pip`` with some arguments."""
    return f"print({MESSAGE!r})"
