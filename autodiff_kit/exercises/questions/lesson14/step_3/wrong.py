"""Wrong answers to step-3, each with the misconception that it must be told; an empty name asks for the plain message."""

WRONG = {
    "-d1/lr": ((lambda d0, d1, lr, b: -d1 / lr,), "step-is-the-gradient"),
    "no b": ((lambda d0, d1, lr, b: (d0 - d1) / lr,), "difference-of-steps"),
    "sign": ((lambda d0, d1, lr, b: (d1 - b * d0) / lr,), "sign"),
    "d0 added": ((lambda d0, d1, lr, b: -(d1 + b * d0) / lr,), "old-step-added"),
    "slot as a mean": ((lambda d0, d1, lr, b: (b * d0 - d1) / lr / (1 - b),), "divided-by-one-minus-b"),
    "no lr": ((lambda d0, d1, lr, b: b * d0 - d1,), "forgets-the-rate"),
    "times lr": ((lambda d0, d1, lr, b: (b * d0 - d1) * lr,), ""),
}
