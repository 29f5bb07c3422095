"""The texts of the prompts, a module for each lesson."""
