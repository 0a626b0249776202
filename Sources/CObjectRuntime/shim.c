#include "CObjectRuntime.h"

// The run time's own function, exported by libswiftCore; Swift code may not name it.
extern void *swift_tryRetain(void *object);

void *stratus_retain_unless_going(void *object) { return swift_tryRetain(object); }
