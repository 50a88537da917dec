"""Games defined by `start`, `move`, `won` and `drawn` alone, one file each."""
