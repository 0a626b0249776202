#include <sqlite3.h>

// Swift cannot call functions with a variable number of arguments.

/// A name in double quotes is never a text: a misspelt column is an error and not a constant.
static inline int stratus_sqlite3_refuse_quoted_texts(sqlite3 *database) {
    int code = sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (void *)0);
    return code == SQLITE_OK ? sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (void *)0) : code;
}

/// Closing the last connection leaves the write-ahead log as it is, instead of moving it into the database.
static inline int stratus_sqlite3_keep_log(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (void *)0);
}
