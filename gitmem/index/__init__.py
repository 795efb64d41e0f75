"""A derived, deletable index of the view: it can always be rebuilt from the refs."""
