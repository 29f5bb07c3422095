"""d1 = b·d0 − lr·g, solved for g."""


def gradient_from_steps(d0, d1, lr, b):
    return (b * d0 - d1) / lr
