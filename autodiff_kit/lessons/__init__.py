"""What a notebook needs besides the engine: the learner's folder, progress, predictions; nothing here draws.

workspace
    The working folder: where it is, what is copied into it, how a lesson is begun anew.
progress
    What the learner predicted, tried and finished, in one SQLite file of that folder.
prompts, predict, lesson
    The questions that a lesson asks before it computes, and the header that begins it.
"""
