/* Everything that is done to files below $RECORD_UNDER is told, in order, to the file $RECORD_TO: one record
 * an operation, made of a letter, the lengths of a path, a second path and of data, a place in the file, and
 * the three themselves. Memory-mapped files are not seen; of ours that is the shared memory of the index,
 * which a start makes anew. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

struct head {
    uint32_t kind, path, other, data;
    uint64_t at;
};

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static int is_ours(const char *path) {
    const char *under = getenv("RECORD_UNDER");
    return under && strncmp(path, under, strlen(under)) == 0;
}

static void tell(char kind, const char *path, const char *other, const void *data, size_t length, off64_t at) {
    static int log = -1;
    const char *to = getenv("RECORD_TO");
    int before = errno;
    struct head head = {(uint32_t)kind, strlen(path), strlen(other), length, at};
    struct iovec parts[] = {
        {&head, sizeof head}, {(void *)path, head.path}, {(void *)other, head.other}, {(void *)data, length}};
    pthread_mutex_lock(&one_at_a_time);
    if (log < 0 && to) log = REAL(open64)(to, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (log < 0 || writev(log, parts, 4) < 0) abort();
    pthread_mutex_unlock(&one_at_a_time);
    errno = before;
}

/* The path behind a descriptor, if it is one that is told of. */
static int behind(int file, char *path) {
    char name[64];
    int before = errno;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, PATH_MAX - 1);
    errno = before;
    if (length <= 0) return 0;
    path[length] = 0;
    return is_ours(path) && !strstr(path, " (deleted)");
}

/* ``path`` as an absolute one. */
static const char *whole(int folder, const char *path, char *into) {
    char above[PATH_MAX];
    if (path[0] == '/' || folder == AT_FDCWD || !behind(folder, above)) return path;
    snprintf(into, PATH_MAX, "%s/%s", above, path);
    return into;
}

static ssize_t wrote(int file, const void *data, ssize_t done, off64_t at) {
    char path[PATH_MAX];
    if (done > 0 && behind(file, path)) tell('w', path, "", data, done, at);
    return done;
}

ssize_t write(int file, const void *data, size_t length) {
    char path[PATH_MAX];
    ssize_t done = REAL(write)(file, data, length);
    if (done > 0 && behind(file, path)) wrote(file, data, done, lseek64(file, 0, SEEK_CUR) - done);
    return done;
}

ssize_t pwrite64(int file, const void *data, size_t length, off64_t at) {
    return wrote(file, data, REAL(pwrite64)(file, data, length, at), at);
}

ssize_t pwrite(int file, const void *data, size_t length, off_t at) { return pwrite64(file, data, length, at); }

int ftruncate64(int file, off64_t length) {
    char path[PATH_MAX];
    int done = REAL(ftruncate64)(file, length);
    if (done == 0 && behind(file, path)) tell('t', path, "", "", 0, length);
    return done;
}

int ftruncate(int file, off_t length) { return ftruncate64(file, length); }

static int synced(int file, int done) {
    char path[PATH_MAX];
    if (done == 0 && behind(file, path)) tell('s', path, "", "", 0, 0);
    return done;
}

int fsync(int file) { return synced(file, REAL(fsync)(file)); }
int fdatasync(int file) { return synced(file, REAL(fdatasync)(file)); }

static int moved(const char *from, const char *to, int done) {
    if (done == 0 && is_ours(from) && is_ours(to)) tell('m', from, to, "", 0, 0);
    return done;
}

int rename(const char *from, const char *to) { return moved(from, to, REAL(rename)(from, to)); }

int renameat(int folder, const char *from, int other, const char *to) {
    char one[PATH_MAX], two[PATH_MAX];
    return moved(whole(folder, from, one), whole(other, to, two), REAL(renameat)(folder, from, other, to));
}

static int gone(const char *path, int done) {
    if (done == 0 && is_ours(path)) tell('d', path, "", "", 0, 0);
    return done;
}

int unlink(const char *path) { return gone(path, REAL(unlink)(path)); }
int rmdir(const char *path) { return gone(path, REAL(rmdir)(path)); }

int unlinkat(int folder, const char *path, int flags) {
    char one[PATH_MAX];
    const char *named = whole(folder, path, one);
    return gone(named, REAL(unlinkat)(folder, path, flags));
}

static int made(const char *path, int done) {
    if (done == 0 && is_ours(path)) tell('f', path, "", "", 0, 0);
    return done;
}

int mkdir(const char *path, mode_t mode) { return made(path, REAL(mkdir)(path, mode)); }

int mkdirat(int folder, const char *path, mode_t mode) {
    char one[PATH_MAX];
    return made(whole(folder, path, one), REAL(mkdirat)(folder, path, mode));
}

static int opened(int folder, const char *path, int flags, int mode) {
    char one[PATH_MAX];
    const char *named = whole(folder, path, one);
    int is_new = (flags & O_CREAT) && is_ours(named) && access(named, F_OK) != 0;
    int file = REAL(openat64)(folder, path, flags, mode);
    if (file < 0 || !is_ours(named)) return file;
    if (is_new) tell('c', named, "", "", 0, 0);
    else if ((flags & O_TRUNC) && (flags & O_ACCMODE) != O_RDONLY) tell('t', named, "", "", 0, 0);
    return file;
}

#define MODE(flags) \
    va_list rest; \
    va_start(rest, flags); \
    int mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, int) : 0; \
    va_end(rest)

int open64(const char *path, int flags, ...) {
    MODE(flags);
    return opened(AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) {
    MODE(flags);
    return opened(AT_FDCWD, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    MODE(flags);
    return opened(folder, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    MODE(flags);
    return opened(folder, path, flags, mode);
}
