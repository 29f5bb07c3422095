"""Comparison of the kit with other libraries and with the limits of the machine, in one run.

``make bench`` runs everything; ``python -m benchmarks.library_comparison --help`` lists the options. Compare ratios
within one run only: machines are shared, and the times of one system vary by a factor of 1.5 between runs.

Every workload is computed by each installed library, in the way in which its users would write it. Before
the timing, all results must agree.
"""
