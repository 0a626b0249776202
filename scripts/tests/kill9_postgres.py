#!/usr/bin/env python3
"""A node that is killed, or its PostgreSQL, loses nothing that was acknowledged: kill9.py with the records there."""

import kill9
from support import main

if __name__ == "__main__":
    main(lambda: kill9.test(store="postgres"))
