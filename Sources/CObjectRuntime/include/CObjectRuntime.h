#ifndef STRATUS_OBJECT_RUNTIME_H
#define STRATUS_OBJECT_RUNTIME_H

/// Keeps a Swift object, unless its reference count has reached zero: then it answers NULL. The memory has to be there,
/// which whoever calls makes sure of. It is what loading a weak reference does, without the cost that a weak reference
/// puts on every retain and release of the object.
void *_Nullable stratus_retain_unless_going(void *_Nonnull object);

#endif
