"""From a graph to the sources of kernels and the places of their operands: one pass after the other."""
