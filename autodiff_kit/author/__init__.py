"""Authoring exercises: all files for learners and teachers are built from one master notebook.

master_notebook, builtin_exercises, exercise_template
    The format of a master notebook, the masters of the kit's own exercises, and a template for a new one.
release, nbgrader_course, otter_tests, answer_key
    What is built from a master: the learner's notebook, nbgrader's course folder, otter's tests, the answer key.
validate
    Checks of a master before it is released.
commands
    ``autodiff-kit new-exercise`` and ``autodiff-kit author``.
"""
