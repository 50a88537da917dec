"""Games that are told by `start`, `move`, `won` and `drawn` alone, one file each."""
