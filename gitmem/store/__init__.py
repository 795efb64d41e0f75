"""Git repositories: finding them, reading them, and moving memory refs in them."""
