// `import os.log` finds nothing in C; the names are those of the Swift module `os`.
#ifndef STRATUS_OS_LOG_H
#define STRATUS_OS_LOG_H
#endif
