"""Install and remove git hooks and agent settings. Plans are data; only `apply` writes."""
