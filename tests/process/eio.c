/* While the file $EIO_WHILE is not empty, what is asked of files whose path holds $EIO_PATH fails with the
 * number that stands in it: reads, and where the number is followed by "+" opening and syncing as well. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int real_open(const char *path, int flags, int mode) {
    static int (*real)(const char *, int, ...);
    if (!real) real = dlsym(RTLD_NEXT, "open64");
    return real(path, flags, mode);
}

/* The number with which it fails, 0: it does not. */
static int fails(const char *path, int reading) {
    const char *until = getenv("EIO_WHILE"), *part = getenv("EIO_PATH");
    char said[16] = "";
    int before = errno, file = -1;
    if (until && part && strstr(path, part)) file = real_open(until, O_RDONLY | O_CLOEXEC, 0);
    if (file >= 0) {
        if (read(file, said, sizeof said - 1) < 0) said[0] = 0;
        close(file);
    }
    errno = before;
    return reading || strchr(said, '+') ? atoi(said) : 0;
}

static int behind(int file, int reading) {
    char name[64], path[4096];
    int before = errno;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, sizeof path - 1);
    errno = before;
    if (length <= 0) return 0;
    path[length] = 0;
    return fails(path, reading);
}

ssize_t pread64(int file, void *into, size_t size, off64_t at) {
    static ssize_t (*real)(int, void *, size_t, off64_t);
    int number = behind(file, 1);
    if (!real) real = dlsym(RTLD_NEXT, "pread64");
    if (!number) return real(file, into, size, at);
    errno = number;
    return -1;
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    int mode = va_arg(rest, int), number = fails(path, 0);
    va_end(rest);
    if (!number) return real_open(path, flags, mode);
    errno = number;
    return -1;
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    int mode = va_arg(rest, int);
    va_end(rest);
    return open64(path, flags, mode);
}

int fdatasync(int file) {
    static int (*real)(int);
    int number = behind(file, 0);
    if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
    if (!number) return real(file);
    errno = number;
    return -1;
}
