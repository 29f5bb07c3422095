"""What the lessons must find, worked out without their cells: one module per lesson, found by its name."""
