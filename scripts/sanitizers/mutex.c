// Tells the thread sanitizer of Swift's Mutex.
//
// On Linux its lock and unlock are a compare-and-exchange in the caller, which the sanitizer sees, and functions of
// libswiftSynchronization for when threads meet, which it does not: without this, each of those is taken for a race. The functions
// below stand before the library's in the order of linking, call them, and say what they did.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

SWIFT void lock_slow(uint32_t thread, SELF) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT bool try_lock_slow(SELF) __asm__("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
SWIFT void unlock_slow(SELF) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

SWIFT void lock_slow(uint32_t thread, SELF) {
    static SWIFT void (*known)(uint32_t, SELF);
    if (!known) known = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    known(thread, self);
    __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF) {
    static SWIFT bool (*known)(SELF);
    if (!known) known = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
    bool locked = known(self);
    if (locked) __tsan_acquire(self);
    return locked;
}

SWIFT void unlock_slow(SELF) {
    static SWIFT void (*known)(SELF);
    if (!known) known = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    __tsan_release(self);
    known(self);
}
