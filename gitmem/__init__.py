"""Git-native memory: notes in a repository's own object database, recalled when they matter."""

__version__ = "0.1.0"
