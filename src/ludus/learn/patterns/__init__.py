"""The pattern network of Vrajitoru 2015 and the players `fuzzy` and `adaptive`."""
