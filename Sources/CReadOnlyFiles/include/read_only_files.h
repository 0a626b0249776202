#ifndef STRATUS_READ_ONLY_FILES_H
#define STRATUS_READ_ONLY_FILES_H

/// The name of the virtual file system under which a database is looked at without a trace.
#define STRATUS_READ_ONLY_FILES "stratus-read-only"

/// Registers the virtual file system with SQLite, once for the process; SQLite's result code.
///
/// A database that is opened through it is only ever read: nothing is written, no file is made, cut or removed, no lock
/// is taken. The index of the write-ahead log, which SQLite keeps in a file beside it, is made in memory for each
/// connection, so each connection sees the log as it is when it first reads. Who uses it makes sure that nobody writes
/// meanwhile, or looks afterwards whether somebody did.
int stratus_register_read_only_files(void);

#endif
