(** All strategies. *)
From Truespec Require Export Prove Ground Lists Values Outputs Steps Rows Numbers Opaque Structures Forms Heads Texts Scans Sorting Laws Views Folds Places Readings Invariants Determined Running Searches Literals Equations Around Segments Beside Stepwise Splits Ahead Counterparts Occurrences Listings Described Lengths Relations Primes Neighbours Pieces Placed Meets.
