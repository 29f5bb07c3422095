"""The code that runs inside a sandbox: ``python -m autodiff_kit.grade.inside``.

__main__
    Imports what notebooks use, and forks a process for each submission.
isolation, syscall_filter, limits, process_memory
    Namespaces, mounts, resource limits and system call filter of that process, its supervision, and its peak memory.
answers, notebook_runner
    Runs the cells, then the functions that the grader calls: what a check saw, or what stands at the end.
"""
