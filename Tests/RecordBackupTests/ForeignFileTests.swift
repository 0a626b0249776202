import Foundation
import RecordModel
import TestSeeds
import Testing

@testable import RecordBackup

/// What is no ordinary file of ours stays as it is: links, pipes, folders of others.
@Suite struct ForeignFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path }

    init() throws { directory = try TemporaryDirectory() }

    /// Makes one of each kind that is nobody's file, and gives their paths.
    private func strangers(in folder: String) throws -> [String] {
        let other = try directory.file("other-\(UUID().uuidString)", "theirs")
        let (pipe, link, dangling) = (folder + "/pipe", folder + "/link", folder + "/dangling")
        try #require(mkfifo(pipe, 0o600) == 0)
        try #require(symlink(other, link) == 0)
        try #require(symlink(path + "/nothing", dangling) == 0)
        return [pipe, link, dangling]
    }

    private func kind(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    @Test func `Neither a pipe nor a link is removed, replaced or written through`() throws {
        for stranger in try strangers(in: path) {
            let before = kind(stranger)
            let draft = try directory.file("draft-\(UUID().uuidString)", "ours")
            for attempt in [
                { try Files.remove(stranger) }, { try Files.move(draft, to: stranger) },
                { _ = try FolderLock(stranger, busy: "") },
            ] {
                let error = #expect(throws: BackupError.self) { try attempt() }
                #expect(error?.code == "BACKUP_FOREIGN")
            }
            #expect(kind(stranger) == before && kind(stranger) != nil)
            #expect(kind(draft) == S_IFREG)
        }
    }

    @Test func `A folder with anything that is not a file or folder stays whole`() throws {
        let folder = path + "/folder"
        try FileManager.default.createDirectory(atPath: folder + "/deep", withIntermediateDirectories: true)
        _ = try directory.file("folder/a", "a")
        for stranger in try strangers(in: folder + "/deep") {
            #expect(throws: BackupError.self) { try Files.remove(folder) }
            #expect(kind(stranger) != nil && kind(folder + "/a") == S_IFREG)
            try #require(unlink(stranger) == 0)
        }
        try Files.remove(folder)
        #expect(kind(folder) == nil)
        try Files.remove(folder)
    }

    @Test func `The archive's list of files is not written into somebody else's file`() throws {
        let other = try directory.file("other", "theirs")
        try FileManager.default.createDirectory(atPath: path + "/spool", withIntermediateDirectories: true)
        try #require(symlink(other, path + "/spool/files.txt") == 0)
        PlacedJournal(folder: path + "/spool").write([])
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "theirs")
    }

    @Test func `Only what an interrupted backup left is cleared away from a folder of backups`() throws {
        let ours = ".partial-" + UUID().uuidString.lowercased()
        for name in [ours, ".partial-of-mine", "stratus-notes"] {
            try FileManager.default.createDirectory(
                atPath: path + "/" + name, withIntermediateDirectories: true)
        }
        try BackupFolder(path: path).removePartial()
        #expect(kind(path + "/" + ours) == nil)
        #expect(kind(path + "/.partial-of-mine") == S_IFDIR && kind(path + "/stratus-notes") == S_IFDIR)
    }

    @Test func `A backup in which somebody has put something is not cleared away`() throws {
        var manifest = BackupManifest(program: ArchivedStore.program, createdAt: 1, store: "s")
        manifest.parts = [.init(path: "schemas/a.ckdb", size: 1, sha256: "")]
        for name in ["manifest.json", "assets/ab/x", "schemas/a.ckdb"] {
            let folder = (path + "/one/" + name as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            _ = try directory.file("one/" + name, "x")
        }
        let backup = Backup(path: path + "/one", manifest: manifest)
        #expect(backup.isOursAlone())
        let note = try directory.file("one/README", "mine")
        #expect(!backup.isOursAlone())
        try #require(unlink(note) == 0)
        try #require(symlink("/nowhere", path + "/one/assets/link") == 0)
        #expect(!backup.isOursAlone())
        try #require(unlink(path + "/one/assets/link") == 0 && symlink(path + "/one", path + "/two") == 0)
        #expect(backup.isOursAlone())
        #expect(!Backup(path: path + "/two", manifest: manifest).isOursAlone(), "a link is somebody's")
    }
}
