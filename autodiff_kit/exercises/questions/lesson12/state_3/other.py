"""Another right answer to state-3."""


def square_loud(x):
    """By reference, with the values' own bytes as a stamp."""
    stamp = x.tobytes()

    def pull(g):
        if x.tobytes() != stamp:
            raise RuntimeError("x was overwritten after it was squared")
        return 2 * x * g

    return x**2, pull


OTHER = (square_loud,)
