"""The database of backgammon positions scored by an expert: sampling, scoring and file format."""
