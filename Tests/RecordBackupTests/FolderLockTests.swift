import Foundation
import TestSeeds
import Testing

@testable import RecordBackup

@Suite struct FolderLockTests {
    @Test(.enabled(if: geteuid() == 0))
    func `What root locks in the folder of a server's user is open to that user`() throws {
        let directory = try TemporaryDirectory()
        try #require(chown(directory.path, 65_534, 65_534) == 0)
        let path = directory.path + "/lock"
        let lock = try FolderLock(path, busy: directory.path)
        var info = stat()
        try #require(stat(path, &info) == 0)
        #expect(info.st_uid == 65_534 && info.st_gid == 65_534 && info.st_mode & 0o777 == 0o600)
        #expect(FolderLock.isHeld(path))
        withExtendedLifetime(lock) {}
    }
}
