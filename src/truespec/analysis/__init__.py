"""What a labelled corpus of traces shows: four questions, profiles, trends, what to mend first."""
