#pragma once

#pragma clang assume_nonnull begin

/// The commit that a package was built from, `dev` in a developer's build.
const char *stratus_build_commit(void);

#pragma clang assume_nonnull end
