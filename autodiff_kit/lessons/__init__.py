"""Working folder, progress, prompts and tables of the lessons; nothing here draws.

workspace, notebook_file, atomic_files, timestamps
    The learner's working folder: how it is filled, updated and reset.
progress, progress_db, progress_rows, progress_listeners
    The predictions, attempts and results of a learner, in one SQLite file of the working folder.
prompt, prompts, prediction
    The predict questions, and how an answer is compared with the computed result.
lesson_header, tables, truth_tables
    Other parts of a lesson: its header, and tables of results.
"""
