/* Preloaded: counts fdatasync and fsync into $FSYNC_COUNT and makes each of them
 * take $FSYNC_MS milliseconds, as on an SD card. Nothing is really synchronised. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int slow(void) {
    char *count = getenv("FSYNC_COUNT"), *ms = getenv("FSYNC_MS");
    int fd = count ? open(count, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (fd >= 0 && write(fd, ".", 1) >= 0) close(fd);
    usleep(1000 * (ms ? atoi(ms) : 0));
    return 0;
}
int fdatasync(int fd) { (void)fd; return slow(); }
int fsync(int fd) { (void)fd; return slow(); }
