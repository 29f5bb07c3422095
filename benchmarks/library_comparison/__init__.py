"""Comparison of the kit with other libraries and with the limits of the machine, in one run.

``make bench`` runs everything; ``python -m benchmarks.library_comparison --help`` lists what can be asked for. Only
ratios within one run mean anything: machines are shared, and the same system moves by half between runs.

Every workload is computed by each library that is installed, in the way in which its users would write it. Before
anything is timed, all must give the same numbers.
"""
