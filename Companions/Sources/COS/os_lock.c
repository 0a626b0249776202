#define _GNU_SOURCE
#include "os_lock.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// The word is the number of the thread that holds the lock, with a bit for threads that may wait; zero is free.
// Waiting is Linux's futex: see futex(2).
static const uint32_t waiting = 0x80000000u;

static uint32_t self(void) {
    static __thread uint32_t number;

    if (number == 0) number = (uint32_t)syscall(SYS_gettid);
    return number;
}

static void stop(const char *sentence) {
    fprintf(stderr, "os_unfair_lock: %s\n", sentence);
    abort();
}

void os_unfair_lock_lock(os_unfair_lock_t lock) {
    uint32_t *word = &lock->_os_unfair_lock_opaque;
    uint32_t own = self(), found = 0;
    if (__atomic_compare_exchange_n(word, &found, own, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
    if ((found & ~waiting) == own) stop("this thread holds the lock already");
    for (;;) {
        // Who has waited once marks the lock, since others may still wait.
        if (found == 0) {
            if (__atomic_compare_exchange_n(word, &found, own | waiting, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
                return;
            continue;
        }
        if (!(found & waiting)
            && !__atomic_compare_exchange_n(
                word, &found, found | waiting, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
        // Answers at once when the word has changed meanwhile, or a signal came; either way the word is looked at.
        long code = syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, found | waiting, NULL, NULL, 0);
        if (code != 0 && errno != EAGAIN && errno != EINTR) stop("waiting failed");
        found = __atomic_load_n(word, __ATOMIC_RELAXED);
    }
}

bool os_unfair_lock_trylock(os_unfair_lock_t lock) {
    uint32_t found = 0;
    return __atomic_compare_exchange_n(
        &lock->_os_unfair_lock_opaque, &found, self(), false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void os_unfair_lock_unlock(os_unfair_lock_t lock) {
    uint32_t *word = &lock->_os_unfair_lock_opaque;
    uint32_t held = __atomic_exchange_n(word, 0, __ATOMIC_RELEASE);
    if ((held & ~waiting) != self()) stop("this thread does not hold the lock");
    if (held & waiting) {
        if (syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) < 0) stop("waking failed");
    }
}

void os_unfair_lock_assert_owner(const os_unfair_lock *lock) {
    uint32_t held = __atomic_load_n(&lock->_os_unfair_lock_opaque, __ATOMIC_RELAXED);
    if ((held & ~waiting) != self()) stop("this thread does not hold the lock");
}

void os_unfair_lock_assert_not_owner(const os_unfair_lock *lock) {
    uint32_t held = __atomic_load_n(&lock->_os_unfair_lock_opaque, __ATOMIC_RELAXED);
    if (held != 0 && (held & ~waiting) == self()) stop("this thread holds the lock");
}
