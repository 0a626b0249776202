// `import os.signpost` finds nothing in C; the names are those of the Swift module `os`.
#ifndef STRATUS_OS_SIGNPOST_H
#define STRATUS_OS_SIGNPOST_H
#endif
