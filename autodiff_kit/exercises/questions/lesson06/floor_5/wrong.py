"""Wrong answers to floor-5, each with the misconception that it must be told; an empty name asks for the plain message."""

WRONG = {
    "4, and 20 in the last step": ((lambda i, n: 20.0 if i == n - 1 else 4.0,), "jumps"),
    "1, then 20": ((lambda i, n: 1.0 if i < n / 2 else 20.0,), "jumps"),
    "to and fro": ((lambda i, n: 20.0 if i == n - 1 else 1.0 + 3 * (i % 2),), "falls-again"),
    "constant 4": ((lambda i, n: 4.0 + 0 * i,), "never-sharpens"),
    "constant 50": ((lambda i, n: 50.0 + 0 * i,), "starts-sharp"),
    "constant 1": ((lambda i, n: 1.0 + 0 * i,), "never-sharpens"),
    "20 to 1": ((lambda i, n: 20 * (1 / 20) ** (i / (n - 1)),), "anneals-backwards"),
    "temperature": ((lambda i, n: (1 / 20) ** (i / (n - 1)),), "gives-the-temperature"),
    "sharp after two steps": ((lambda i, n: 1.0 if i < 2 else 50.0,), "sharpens-too-soon"),
    "zero": ((lambda i, n: 0.0 * i,), ""),
}
