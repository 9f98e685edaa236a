"""Runs a command and prints its seconds, peak memory in bytes and exit code as JSON.

    python3 -I -S measure.py COMMAND…

A program of its own because a process inherits the peak of the one it was forked from: this one is
small and imports little.
"""
import os
import sys
import time

start = time.perf_counter()
child = os.posix_spawnp(
    sys.argv[1], sys.argv[1:], os.environ,
    file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - start
code = os.waitstatus_to_exitcode(status)
print(f'{{"seconds": {seconds}, "peak": {usage.ru_maxrss * 1024}, "code": {code}}}')
