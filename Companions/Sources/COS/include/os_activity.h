// `import os.activity` finds nothing in C; the names are those of the Swift module `os`.
#ifndef STRATUS_OS_ACTIVITY_H
#define STRATUS_OS_ACTIVITY_H
#endif
