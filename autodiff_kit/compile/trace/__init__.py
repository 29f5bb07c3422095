"""Running a function once on symbols, so that it writes down a graph; and what it saw of the world meanwhile."""
