#include "read_only_files.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* One open file: the real one behind it, and for a database the pages of its log's index. */
typedef struct {
    sqlite3_file base;
    int is_open;
    int region_count;
    char **regions;
    sqlite3_file *real;
} File;

static sqlite3_file *real(sqlite3_file *file) { return ((File *)file)->real; }

static int file_close(sqlite3_file *base) {
    File *file = (File *)base;
    for (int i = 0; i < file->region_count; i++) free(file->regions[i]);
    free(file->regions);
    file->regions = 0;
    file->region_count = 0;
    int code = SQLITE_OK;
    if (file->is_open && file->real->pMethods) code = file->real->pMethods->xClose(file->real);
    file->is_open = 0;
    return code;
}

static int file_read(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
    if (((File *)base)->is_open) return real(base)->pMethods->xRead(real(base), buffer, count, offset);
    memset(buffer, 0, (size_t)count);
    return SQLITE_IOERR_SHORT_READ;
}

static int file_write(sqlite3_file *base, const void *buffer, int count, sqlite3_int64 offset) {
    (void)base, (void)buffer, (void)count, (void)offset;
    return SQLITE_READONLY;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    (void)base, (void)size;
    return SQLITE_READONLY;
}

static int file_sync(sqlite3_file *base, int flags) {
    (void)base, (void)flags;
    return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    *size = 0;
    return ((File *)base)->is_open ? real(base)->pMethods->xFileSize(real(base), size) : SQLITE_OK;
}

static int file_lock(sqlite3_file *base, int level) {
    (void)base, (void)level;
    return SQLITE_OK;
}

static int file_reserved(sqlite3_file *base, int *result) {
    (void)base;
    *result = 0;
    return SQLITE_OK;
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
    (void)base, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int file_sector(sqlite3_file *base) {
    (void)base;
    return 4096;
}

static int file_characteristics(sqlite3_file *base) {
    (void)base;
    return 0;
}

static int file_map(sqlite3_file *base, int number, int size, int extends, void volatile **memory) {
    File *file = (File *)base;
    *memory = 0;
    if (number >= file->region_count) {
        if (!extends) return SQLITE_OK;
        char **regions = realloc(file->regions, sizeof(char *) * (size_t)(number + 1));
        if (!regions) return SQLITE_NOMEM;
        file->regions = regions;
        while (file->region_count <= number) {
            char *region = calloc(1, (size_t)size);
            if (!region) return SQLITE_NOMEM;
            regions[file->region_count++] = region;
        }
    }
    *memory = file->regions[number];
    return SQLITE_OK;
}

static int file_map_lock(sqlite3_file *base, int offset, int count, int flags) {
    (void)base, (void)offset, (void)count, (void)flags;
    return SQLITE_OK;
}

static void file_map_barrier(sqlite3_file *base) {
    (void)base;
    __sync_synchronize();
}

static int file_unmap(sqlite3_file *base, int removes) {
    (void)base, (void)removes;
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    2, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_lock,
    file_reserved, file_control, file_sector, file_characteristics, file_map, file_map_lock,
    file_map_barrier, file_unmap, 0, 0,
};

static sqlite3_vfs *below(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *flags_out) {
    File *file = (File *)base;
    memset(file, 0, sizeof *file);
    file->real = (sqlite3_file *)(file + 1);
    if (!(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL))) {
        /* Temporary files of a query are nobody's data. */
        int code = below(vfs)->xOpen(below(vfs), name, base, flags, flags_out);
        return code;
    }
    int wanted = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
    int given = 0;
    int code = below(vfs)->xOpen(below(vfs), name, file->real, wanted, &given);
    /* A log that is not there is an empty one. */
    int is_missing_log = code != SQLITE_OK && (flags & SQLITE_OPEN_WAL) != 0;
    if (code != SQLITE_OK && !is_missing_log) return code;
    file->is_open = code == SQLITE_OK;
    file->base.pMethods = &methods;
    if (flags_out) *flags_out = wanted;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
    (void)vfs, (void)name, (void)syncs;
    return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    return below(vfs)->xAccess(below(vfs), name, flags, result);
}

int stratus_register_read_only_files(void) {
    static sqlite3_vfs vfs;
    if (sqlite3_vfs_find(STRATUS_READ_ONLY_FILES)) return SQLITE_OK;
    sqlite3_vfs *standard = sqlite3_vfs_find(0);
    if (!standard) return SQLITE_ERROR;
    vfs = *standard;
    vfs.pNext = 0;
    vfs.zName = STRATUS_READ_ONLY_FILES;
    vfs.pAppData = standard;
    vfs.szOsFile = (int)sizeof(File) + standard->szOsFile;
    vfs.xOpen = vfs_open;
    vfs.xDelete = vfs_delete;
    vfs.xAccess = vfs_access;
    return sqlite3_vfs_register(&vfs, 0);
}
