"""What runs inside a box: ``python -m autodiff_kit.grade.inside``.

warm
    Loads what notebooks use, and forks a child for each submission.
cage, filters, limits
    What a child gives up before it runs a line of a learner's: names, rights, memory, system calls.
notebook
    The child's work: the cells, then the functions that the grader asks for.
"""
