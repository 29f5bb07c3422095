"""Another right answer to floor-5."""


def linear_schedule(i, steps):
    return 1 + 19 * i / (steps - 1)


OTHER = (linear_schedule,)
