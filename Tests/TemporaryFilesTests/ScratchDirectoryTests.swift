import Foundation
import TestSeeds
import Testing

@testable import TemporaryFiles

@Suite struct ScratchDirectoryTests {
    /// Runs the body with a folder that goes away.
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = try TemporaryDirectory()
        try withExtendedLifetime(folder) { try body(folder.url) }
    }

    private func owned(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path + "/test-\(getuid())").sorted()
    }

    @Test func aFileGoesWithItsLastReference() throws {
        try withFolder { folder in
            let directory = ScratchDirectory(name: "test", parent: folder)
            var file: TemporaryFile? = try TemporaryFile(in: directory, extension: "jpg")
            let url = try #require(file?.url)
            try Data("x".utf8).write(to: url)
            #expect(url.pathExtension == "jpg" && FileManager.default.fileExists(atPath: url.path))
            withExtendedLifetime(file) {}
            file = nil
            #expect(!FileManager.default.fileExists(atPath: url.path))
        }
    }

    @Test func aDirectoryGoesWithAllThatIsInIt() throws {
        try withFolder { folder in
            let directory = ScratchDirectory(name: "test", parent: folder)
            let url = try directory.newFile()
            try Data("x".utf8).write(to: url)
            #expect(try owned(folder).count == 1)
            directory.remove()
            #expect(try owned(folder).isEmpty)
            #expect(try directory.newFile().path != url.path, "it is made again")
        }
    }

    @Test func onlyTheUserCanReadIt() throws {
        try withFolder { folder in
            let url = try ScratchDirectory(name: "test", parent: folder).newFile()
            let path = folder.path + "/test-\(getuid())"
            let rights =
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            #expect(rights?.intValue == 0o700)
            #expect(url.path.hasPrefix(path))
        }
    }

    @Test func whatADeadProcessLeftIsSweptAndWhatALivingOneHasIsNot() throws {
        try withFolder { folder in
            let living = ScratchDirectory(name: "test", parent: folder)
            let kept = try living.newFile()
            try Data("x".utf8).write(to: kept)
            // As a process leaves it that was killed: the lock file is there, and nobody holds the lock.
            let dead = folder.path + "/test-\(getuid())/dead"
            try FileManager.default.createDirectory(atPath: dead, withIntermediateDirectories: true)
            try Data().write(to: URL(fileURLWithPath: dead + "/.lock"))
            try Data("left".utf8).write(to: URL(fileURLWithPath: dead + "/1.jpg"))
            let next = ScratchDirectory(name: "test", parent: folder)
            _ = try next.newFile()
            #expect(!FileManager.default.fileExists(atPath: dead))
            #expect(FileManager.default.fileExists(atPath: kept.path))
            #expect(try owned(folder).count == 2)
            withExtendedLifetime((living, next)) {}
        }
    }

    @Test("A directory that somebody removes, empties, moves, replaces or closes is there for the next file")
    func damage() throws {
        let files = FileManager.default
        let deeds: [(String, (_ directory: String, _ folder: URL) throws -> Void)] = [
            ("removed", { directory, _ in try files.removeItem(atPath: directory) }),
            ("emptied", { directory, _ in try files.removeItem(atPath: directory + "/.lock") }),
            (
                "all of the user's removed",
                { _, folder in try files.removeItem(atPath: folder.path + "/test-\(getuid())") }
            ),
            ("the system's removed", { _, folder in try files.removeItem(at: folder) }),
            (
                "moved",
                { directory, folder in
                    try files.moveItem(atPath: directory, toPath: folder.path + "/elsewhere")
                }
            ),
            (
                "replaced by a file",
                { directory, _ in
                    try files.removeItem(atPath: directory)
                    try Data("x".utf8).write(to: URL(fileURLWithPath: directory))
                }
            ),
            (
                "replaced by a link",
                { directory, folder in
                    try files.removeItem(atPath: directory)
                    try files.createSymbolicLink(atPath: directory, withDestinationPath: folder.path)
                }
            ),
            (
                "closed",
                { directory, _ in try files.setAttributes([.posixPermissions: 0], ofItemAtPath: directory) }
            ),
        ]
        for (name, deed) in deeds {
            try withFolder { folder in
                let directory = ScratchDirectory(name: "test", parent: folder)
                let first = try directory.newFile()
                try deed(first.deletingLastPathComponent().path, folder)
                let next = try directory.newFile()
                #expect(throws: Never.self, "\(name)") { try Data("x".utf8).write(to: next) }
                #expect(next != first && next.path.hasPrefix(folder.path + "/test-"), "\(name)")
                directory.remove()
                #expect(!files.fileExists(atPath: next.path), "\(name)")
            }
        }
    }

    @Test func whatTheDirectoryDidNotMakeIsLeftAlone() throws {
        try withFolder { folder in
            let parent = folder.path + "/test-\(getuid())"
            let (far, link, pipe) = (folder.path + "/far", parent + "/link", parent + "/pipe")
            for path in [parent, far] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            try Data().write(to: URL(fileURLWithPath: far + "/.lock"))
            #expect(symlink(far, link) == 0 && mkfifo(pipe, 0o600) == 0)
            let old = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -7_200)]
            for path in [far, pipe] { try FileManager.default.setAttributes(old, ofItemAtPath: path) }
            let directory = ScratchDirectory(name: "test", parent: folder)
            let file = try TemporaryFile(in: directory)
            #expect(mkfifo(file.url.path, 0o600) == 0)
            file.remove()
            for path in [file.url.path, pipe, link, far + "/.lock"] {
                var status = stat()
                #expect(lstat(path, &status) == 0, "\(path)")
            }
            withExtendedLifetime(directory) {}
        }
    }

    @Test func aPlaceThatCannotBeUsedIsAnErrorWithASentence() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("test-\(getuid())")
            try Data().write(to: file)
            let error = #expect(throws: ScratchError.self) {
                try ScratchDirectory(name: "test", parent: folder).newFile()
            }
            #expect(error?.sentence.contains(file.path) == true && error?.remedy.contains("TMPDIR") == true)
        }
    }
}
