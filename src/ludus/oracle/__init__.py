"""Perfect values: solving, storing, checking and looking them up."""
