"""Runs a command with limits and prints its exit status, processor seconds and peak memory as JSON.

A separate process: the peak memory of a child counts from that of its parent, and this one is small.

    measured.py DESCRIPTOR SECONDS BYTES COMMAND...      0: no limit
"""
import os
import resource
import sys


def main():
    answer, seconds, space = map(int, sys.argv[1:4])
    pid = os.fork()
    if pid == 0:
        os.close(answer)
        try:
            if seconds:
                resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
            if space:
                resource.setrlimit(resource.RLIMIT_AS, (space, space))
            os.execv(sys.argv[4], sys.argv[4:])
        finally:
            os._exit(127)
    _, status, used = os.wait4(pid, 0)
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
    os.write(answer, b'[%d, %f, %d]' % (code, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024))


main()
