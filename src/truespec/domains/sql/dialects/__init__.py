"""What each dialect of SQL is: one record per dialect, in which no field has a default."""
