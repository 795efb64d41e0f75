"""One module per command. `app.py` has the table and imports a module when it is asked for."""
