"""One file per gate on writing. A gate returns findings; it never prints, asks or stores."""
