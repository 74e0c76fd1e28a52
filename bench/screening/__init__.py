"""How often the screen is right, on mail and attack texts that lie outside the repository."""
