// Preloaded: makes the n-th call of one function fail. FAULT=FUNCTION:N:ACTION; ACTION is the number of an error, "short"
// (one byte is read or written), "cut" (the mapped file loses its second half) or "kill". FAULT_FIRED names a file that
// is made when it happens.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum Fault { NONE, SHORT, CUT, FAIL };

static atomic_int calls;

static enum Fault fault(const char* function) {
  const char* asked = getenv("FAULT");
  const size_t length = strlen(function);
  if (asked == NULL || strncmp(asked, function, length) != 0 || asked[length] != ':') return NONE;
  char* action;
  const long wanted = strtol(asked + length + 1, &action, 10);
  if (atomic_fetch_add(&calls, 1) + 1 != wanted) return NONE;
  const char* fired = getenv("FAULT_FIRED");
  if (fired != NULL) syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, fired, O_CREAT | O_WRONLY, 0644));
  ++action;
  if (strcmp(action, "kill") == 0) syscall(SYS_kill, getpid(), SIGKILL);
  if (strcmp(action, "short") == 0) return SHORT;
  if (strcmp(action, "cut") == 0) return CUT;
  errno = atoi(action);
  return FAIL;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name)                             \
  int name(const char* path, int flags, ...) { \
    va_list list;                              \
    va_start(list, flags);                     \
    const mode_t mode = va_arg(list, mode_t);  \
    va_end(list);                              \
    if (fault("open") != NONE) return -1;      \
    return REAL(name)(path, flags, mode);      \
  }
OPEN(open)
OPEN(open64)

ssize_t read(int fd, void* to, size_t size) {
  const enum Fault f = fault("read");
  return f == FAIL ? -1 : REAL(read)(fd, to, f == SHORT && size > 1 ? 1 : size);
}

ssize_t pread(int fd, void* to, size_t size, off_t offset) {
  const enum Fault f = fault("pread");
  return f == FAIL ? -1 : REAL(pread)(fd, to, f == SHORT && size > 1 ? 1 : size, offset);
}

ssize_t write(int fd, const void* from, size_t size) {
  const enum Fault f = fault("write");
  return f == FAIL ? -1 : REAL(write)(fd, from, f == SHORT && size > 1 ? 1 : size);
}

static void cut(int fd) {
  char path[64];
  struct stat info;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (fstat(fd, &info) == 0 && truncate(path, info.st_size / 2) != 0) abort();
}

void* mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) {
  const enum Fault f = fd >= 0 ? fault("mmap") : NONE;
  if (f == FAIL) return MAP_FAILED;
  void* mapped = (void*)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
  if (f == CUT) cut(fd);
  return mapped;
}

int close(int fd) {
  const enum Fault f = fault("close");
  const int result = REAL(close)(fd);  // the descriptor is gone in any case
  return f == FAIL ? -1 : result;
}

int rename(const char* from, const char* to) { return fault("rename") == FAIL ? -1 : REAL(rename)(from, to); }

int linkat(int from, const char* old, int to, const char* path, int flags) {
  return fault("linkat") == FAIL ? -1 : REAL(linkat)(from, old, to, path, flags);
}

int unlink(const char* path) { return fault("unlink") == FAIL ? -1 : REAL(unlink)(path); }
int remove(const char* path) { return fault("remove") == FAIL ? -1 : REAL(remove)(path); }
int fsync(int fd) { return fault("fsync") == FAIL ? -1 : REAL(fsync)(fd); }
int flock(int fd, int operation) { return fault("flock") == FAIL ? -1 : REAL(flock)(fd, operation); }
int ftruncate(int fd, off_t size) { return fault("ftruncate") == FAIL ? -1 : REAL(ftruncate)(fd, size); }
int stat(const char* path, struct stat* to) { return fault("stat") == FAIL ? -1 : REAL(stat)(path, to); }
int lstat(const char* path, struct stat* to) { return fault("lstat") == FAIL ? -1 : REAL(lstat)(path, to); }
int fstat(int fd, struct stat* to) { return fault("fstat") == FAIL ? -1 : REAL(fstat)(fd, to); }
int madvise(void* at, size_t size, int advice) {
  return fault("madvise") == FAIL ? -1 : REAL(madvise)(at, size, advice);
}
ssize_t readlink(const char* path, char* to, size_t size) {
  return fault("readlink") == FAIL ? -1 : REAL(readlink)(path, to, size);
}
