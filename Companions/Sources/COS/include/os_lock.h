// The lock of `import os.lock`.
#ifndef STRATUS_OS_LOCK_H
#define STRATUS_OS_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/// A lock that the same thread must release, four bytes long. Zero is unlocked.
typedef struct os_unfair_lock_s {
    uint32_t _os_unfair_lock_opaque;
} os_unfair_lock, *os_unfair_lock_t;

#define OS_UNFAIR_LOCK_INIT ((os_unfair_lock){0})

/// Waits for the lock. A thread that holds it already is stopped, with the program.
void os_unfair_lock_lock(os_unfair_lock_t lock);
/// Takes the lock where nobody holds it.
bool os_unfair_lock_trylock(os_unfair_lock_t lock);
/// Lets the lock go. A thread that does not hold it is stopped, with the program.
void os_unfair_lock_unlock(os_unfair_lock_t lock);
/// Stops the program unless this thread holds the lock.
void os_unfair_lock_assert_owner(const os_unfair_lock *lock);
/// Stops the program if this thread holds the lock.
void os_unfair_lock_assert_not_owner(const os_unfair_lock *lock);

#endif
