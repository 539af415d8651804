"""Runs a command with limits and prints its exit status, processor seconds and peak memory as JSON.

A separate process: the peak memory of a child counts from that of its parent, and this one is small.

    measured.py SECONDS BYTES COMMAND...      0: no limit
"""
import os
import resource
import sys


def main():
    seconds, space = int(sys.argv[1]), int(sys.argv[2])
    pid = os.fork()
    if pid == 0:
        try:
            if seconds:
                resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
            if space:
                resource.setrlimit(resource.RLIMIT_AS, (space, space))
            os.execv(sys.argv[3], sys.argv[3:])
        finally:
            os._exit(127)
    _, status, used = os.wait4(pid, 0)
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
    os.write(3, b'[%d, %f, %d]' % (code, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024))


main()
