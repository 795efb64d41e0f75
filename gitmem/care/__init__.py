"""Looking after a memory: what is wrong with it, and what to do about it."""
