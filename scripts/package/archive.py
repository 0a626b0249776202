"""Archives that are the same to the last byte each time: names in order, one time, one owner."""

import gzip
import io
import stat
import subprocess
import tarfile


class Archive:
    """A tar in memory, whose members get the time and the owner that they are given and nothing of this machine."""

    def __init__(self, epoch):
        self.epoch = epoch
        self.bytes = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.bytes, mode="w", format=tarfile.USTAR_FORMAT)
        self.folders = set()

    def _info(self, name, mode, owner=0):
        info = tarfile.TarInfo(name.lstrip("/"))
        info.mode, info.mtime, info.uid, info.gid = mode, self.epoch, owner, owner
        return info

    def folder(self, name, mode=0o755, owner=0):
        name = name.strip("/")
        if not name or name in self.folders:
            return
        self.folder(name.rpartition("/")[0])
        info = self._info(name, mode, owner)
        info.type = tarfile.DIRTYPE
        self.tar.addfile(info)
        self.folders.add(name)

    def data(self, name, data, mode=0o644):
        self.folder(name.rpartition("/")[0])
        info = self._info(name, mode)
        info.size = len(data)
        self.tar.addfile(info, io.BytesIO(data))

    def file(self, name, path, mode=None):
        if mode is None:
            mode = 0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644
        self.data(name, path.read_bytes(), mode)

    def link(self, name, target):
        self.folder(name.rpartition("/")[0])
        info = self._info(name, 0o777)
        info.type, info.linkname = tarfile.SYMTYPE, target
        self.tar.addfile(info)

    def close(self):
        """The bytes of the whole archive."""
        self.tar.close()
        return self.bytes.getvalue()


def gzipped(data):
    return gzip.compress(data, compresslevel=6, mtime=0)


def xz_compressed(data):
    """The number of threads and the size of blocks are fixed, since the bytes depend on them."""
    command = ["xz", "-6", "--threads=2", "--block-size=24MiB", "--stdout"]
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout
