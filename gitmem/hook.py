"""`git mem hook AGENT` as agents start it: `python -I -S …/gitmem/hook.py AGENT`. Hot.

A script is compiled at every start, which for a page of code takes as long as the hook's own work:
so there is nothing here.
"""

import os
import sys

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from gitmem.quick import main

    os._exit(main(sys.argv[1:]))
