"""One file per agent. Hot: the registry names modules and imports none."""

# What `git mem hook NAME` accepts → the module of gitmem.agents that speaks its protocol.
AGENTS = {"claude": "claude"}
