// Follows streams of events, and measures how long each event took.
//
//     follower PORT STREAMS READY < requests
//
// The first lines of its input are the requests' paths, one for each stream, and then an empty line. Each stream is ready when it
// has READY in it; "ready" is printed when all are, and before that "client TEXT" for each "clientId":"TEXT". Records carry a mark
// "@NUMBER:NANOSECONDS@", the number of the write and when it was sent (CLOCK_MONOTONIC). The line "stop NUMBER SECONDS" ends it
// as soon as each stream has had so many writes, or after so many seconds; what it found is printed as JSON.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { writes_at_most = 1 << 16, kept = 96, piece = 1 << 16 };

struct stream {
    int socket, is_ready;
    size_t rest;
    char tail[kept];
    uint64_t count, bytes;
    uint8_t had[writes_at_most / 8];
};

static struct stream *streams;
static int stream_count, ready_count;
static const char *ready_text;
static uint32_t *delays;
static size_t delay_count, delay_room, doubles, broken;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void note(struct stream *stream, unsigned long number, int64_t sent, int64_t at) {
    if (number >= writes_at_most) return;
    uint8_t bit = 1 << (number & 7);
    if (stream->had[number / 8] & bit) { doubles++; return; }
    stream->had[number / 8] |= bit;
    stream->count++;
    if (delay_count == delay_room) {
        delay_room = delay_room ? delay_room * 2 : 1 << 20;
        delays = realloc(delays, delay_room * sizeof *delays);
        if (!delays) abort();
    }
    int64_t delay = (at - sent) / 1000;
    delays[delay_count++] = delay < 0 ? 0 : delay > UINT32_MAX ? UINT32_MAX : (uint32_t)delay;
}

static void read_marks(struct stream *stream, char *text, size_t length, int64_t at) {
    char *end = text + length, *from = text;
    if (!stream->is_ready) {
        char *refusal = memmem(text, length, "serverErrorCode", 15);
        if (refusal) { fprintf(stderr, "follower: refused: %s\n", refusal); exit(1); }
        char *client = memmem(text, length, "\"clientId\":\"", 12);
        char *close = client ? memchr(client + 12, '"', end - client - 12) : NULL;
        if (close) printf("client %.*s\n", (int)(close - client - 12), client + 12);
        if (memmem(text, length, ready_text, strlen(ready_text))) {
            stream->is_ready = 1;
            if (++ready_count == stream_count) { printf("ready\n"); fflush(stdout); }
        }
    }
    char *mark;
    while ((mark = memchr(from, '@', end - from))) {
        char *next = mark + 1;
        unsigned long number = strtoul(next, &next, 10);
        if (next < end && next > mark + 1 && *next == ':') {
            char *start = next + 1;
            int64_t sent = strtoll(start, &next, 10);
            if (next < end && next > start && *next == '@') {
                note(stream, number, sent, at);
                from = next + 1;
                continue;
            }
        }
        if (next >= end) break;
        from = mark + 1;
    }
    // A mark may be cut by the end of what came.
    char *keep = mark && end - mark < kept ? mark : NULL;
    stream->rest = keep ? (size_t)(end - keep) : 0;
    if (keep) memmove(stream->tail, keep, stream->rest);
}

static void take(struct stream *stream) {
    static char buffer[kept + piece + 1];
    memcpy(buffer, stream->tail, stream->rest);
    ssize_t length = recv(stream->socket, buffer + stream->rest, piece, 0);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (length <= 0) { broken++; close(stream->socket); stream->socket = -1; return; }
    stream->bytes += length;
    buffer[stream->rest + length] = 0;
    read_marks(stream, buffer, stream->rest + length, now());
}

static void open_stream(int poll, struct stream *stream, int port, const char *path) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char request[1 << 14];
    int length = snprintf(
        request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: text/event-stream\r\n\r\n", path, port);
    stream->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (stream->socket < 0 || connect(stream->socket, (void *)&address, sizeof address) || length >= (int)sizeof request
        || write(stream->socket, request, length) != length) {
        perror("follower");
        exit(1);
    }
    fcntl(stream->socket, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = stream};
    epoll_ctl(poll, EPOLL_CTL_ADD, stream->socket, &event);
}

static int compare(const void *a, const void *b) {
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return first < second ? -1 : first > second;
}

static void report(unsigned long writes) {
    size_t missing = 0;
    uint64_t bytes = 0;
    for (int index = 0; index < stream_count; index++) {
        missing += writes > streams[index].count ? writes - streams[index].count : 0;
        bytes += streams[index].bytes;
    }
    qsort(delays, delay_count, sizeof *delays, compare);
    printf("{\"events\": %zu, \"missing\": %zu, \"doubles\": %zu, \"broken\": %zu, \"bytes\": %llu, \"delays\": [",
           delay_count, missing, doubles, broken, (unsigned long long)bytes);
    // Every thousandth, so that several followers can be put together.
    for (size_t step = 0; delay_count && step <= 1000; step++)
        printf("%s%u", step ? ", " : "", delays[(delay_count - 1) * step / 1000]);
    printf("]}\n");
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    int port = atoi(arguments[1]);
    stream_count = atoi(arguments[2]);
    ready_text = arguments[3];
    streams = calloc(stream_count, sizeof *streams);
    int poll = epoll_create1(0);
    static char line[1 << 14];
    for (int index = 0; fgets(line, sizeof line, stdin) && line[0] != '\n'; index++) {
        line[strcspn(line, "\n")] = 0;
        if (index < stream_count) open_stream(poll, &streams[index], port, line);
    }
    struct epoll_event events[256], input = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(poll, EPOLL_CTL_ADD, 0, &input);
    unsigned long writes = 0;
    int64_t deadline = 0;
    while (1) {
        int found = epoll_wait(poll, events, 256, 100);
        for (int index = 0; index < found; index++) {
            struct stream *stream = events[index].data.ptr;
            if (stream) { take(stream); continue; }
            ssize_t length = read(0, line, sizeof line - 1);
            if (length <= 0) return 1;
            line[length] = 0;
            double seconds = 0;
            if (sscanf(line, "stop %lu %lf", &writes, &seconds) == 2) deadline = now() + (int64_t)(seconds * 1e9);
        }
        fflush(stdout);
        if (!deadline) continue;
        int is_complete = 1;
        for (int index = 0; index < stream_count && is_complete; index++) is_complete = streams[index].count >= writes;
        if (is_complete || now() > deadline) break;
    }
    report(writes);
    return 0;
}
