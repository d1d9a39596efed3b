/* Preloaded: notes when a thread's epoll_wait begins and ends, before the interpreter
 * asks for its lock again, and how long the thread stood in line for a core by then.
 * So a late wake-up by kernel or host can be told from what the program does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

/* All in nanoseconds, of one thread; `before` is the wait before this one. */
struct moment { long long at, queued; };
static __thread struct moment begun, ended, before;

static struct moment moment(void) {
    static __thread int file = -1;
    struct timespec time;
    struct moment now = {0, 0};
    char text[96] = "", *second;
    if (file < 0) file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (file >= 0 && pread(file, text, sizeof text - 1, 0) > 0) {
        strtoll(text, &second, 10);
        now.queued = strtoll(second, NULL, 10);
    }
    clock_gettime(CLOCK_MONOTONIC, &time);
    now.at = time.tv_sec * 1000000000LL + time.tv_nsec;
    return now;
}

int epoll_wait(int file, struct epoll_event *events, int most, int timeout) {
    static int (*real)(int, struct epoll_event *, int, int);
    if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, "epoll_wait");
    before = ended;
    begun = moment();
    int result = real(file, events, most, timeout);
    ended = moment();
    return result;
}

void loop_wakes(struct moment moments[4]) {
    moments[0] = moment();
    moments[1] = begun;
    moments[2] = ended;
    moments[3] = before;
}
