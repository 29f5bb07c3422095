"""What each misconception would compute: a check names one only if its model explains every failing case."""
