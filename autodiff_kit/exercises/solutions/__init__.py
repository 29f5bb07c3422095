"""One worked answer to each question: what ``q1.solution()`` shows, and what the checks take as right."""
