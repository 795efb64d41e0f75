"""The command line: the only importer of click, and the only place that prints."""
