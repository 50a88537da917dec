"""The `scholar`: networks for nine men's morris trained on exact values."""
