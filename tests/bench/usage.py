"""Runs a command and prints its exit status, wall and CPU seconds and largest memory as JSON.

    usage.py SECONDS COMMAND...

A separate, small process: Linux counts the memory of the parent process as that of the program.
"""
import os
import signal
import sys
import time


def main(limit, *command):
    out = os.open(os.devnull, os.O_WRONLY)
    start = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, out, 2)])
    signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
    signal.alarm(int(limit))
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    # Linux counts ru_maxrss in kB.
    cpu, rss = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
    print(f'{{"status": {os.waitstatus_to_exitcode(status)}, "wall": {wall}, "cpu": {cpu}, "rss": {rss}}}')


if __name__ == "__main__":
    main(*sys.argv[1:])
