#include <stdarg.h>
#include <stdlib.h>
#include <gd.h>

static void stratus_gd_ignore(int priority, const char *format, va_list arguments) {
    (void)priority;
    (void)format;
    (void)arguments;
}

// The library writes what is wrong with a file to stderr unless it is given a function, which Swift cannot write.
static inline void stratus_gd_be_silent(void) { gdSetErrorMethod(stratus_gd_ignore); }
