#!/usr/bin/env python3
"""Each receiver is told what a model says on PostgreSQL, too: a short run of subscriptions.py with the records there."""

import subscriptions
from support import main

if __name__ == "__main__":
    main(lambda: subscriptions.test(store="postgres", seconds=20))
