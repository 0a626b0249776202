#include "build_stamp.h"

// In C, because a definition from the manifest has a value here, and none in Swift.
#ifndef STRATUS_COMMIT
#define STRATUS_COMMIT dev
#endif
#define TEXT(token) #token
#define EXPANDED_TEXT(token) TEXT(token)

const char *stratus_build_commit(void) {
    return EXPANDED_TEXT(STRATUS_COMMIT);
}
