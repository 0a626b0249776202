import ArgumentParser
import Foundation
import RecordModel
import RecordStorageSQLite
import TestSeeds
import Testing

@testable import stratus

/// Commands replace and remove ordinary files of their own: what is anything else stays as it is.
@Suite struct ForeignFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path }

    init() throws { directory = try TemporaryDirectory() }

    private func kind(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    private func strangers() throws -> [String] {
        let other = try directory.file("other", "theirs")
        let (pipe, link, folder) = (path + "/pipe", path + "/link", path + "/folder")
        try #require(mkfifo(pipe, 0o600) == 0)
        try #require(symlink(other, link) == 0)
        try #require(mkdir(folder, 0o700) == 0)
        return [pipe, link, folder]
    }

    @Test func `A state file that is a pipe, a link or a folder is refused, not replaced`() throws {
        for stranger in try strangers() {
            let before = kind(stranger)
            let file = StateFile(path: stranger)
            #expect(file.contents == nil, "and nobody waits for a pipe")
            #expect(throws: Failure.self) { try file.write([1], remedy: "") }
            file.remove()
            #expect(kind(stranger) == before, "\(stranger)")
        }
        #expect(try String(contentsOfFile: path + "/other", encoding: .utf8) == "theirs")
        let file = StateFile(path: path + "/state")
        try file.write([1], remedy: "")
        try file.write([2], remedy: "")
        #expect(file.contents == [2])
        file.remove()
        #expect(kind(file.path) == nil)
    }

    @Test func `A server's address and secret replace no pipe and no link`() throws {
        let other = try directory.file("other", "theirs")
        try #require(symlink(other, path + "/stratus.address") == 0)
        ServerAddress.write("http://a", in: path)
        #expect(kind(path + "/stratus.address") == S_IFLNK)
        let draft = path + "/stratus.secret.1"
        try #require(mkfifo(draft, 0o600) == 0)
        #expect(throws: Failure.self) { try ServerSecret.write([1], to: draft) }
        #expect(kind(draft) == S_IFIFO)
        try #require(unlink(draft) == 0)
        try ServerSecret.write([1], to: draft)
        try ServerSecret.write([2], to: draft)
        #expect(FileManager.default.contents(atPath: draft) == Data([2]))
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "theirs")
    }

    @Test func `An export clears away what an interrupted one left, and nothing else`() async throws {
        let data = path + "/data"
        let store = try await LocalTransport(directory: data)
        await store.store.close()
        let container = try DemoAccess.tenant().container.rawValue
        func words(_ name: String) -> [String] {
            [path + "/" + name, "--container", container, "--data", data]
        }
        // Somebody's folder of that name.
        try FileManager.default.createDirectory(
            atPath: path + "/out.partial", withIntermediateDirectories: true)
        let mine = try directory.file("out.partial/mine", "mine")
        var command = try ContainerExportCommand.parse(words("out"))
        await #expect(throws: Failure.self) { try await command.run() }
        #expect(kind(mine) == S_IFREG)
        // What an interrupted export left.
        try FileManager.default.createDirectory(
            atPath: path + "/again.partial/container/development", withIntermediateDirectories: true)
        command = try ContainerExportCommand.parse(words("again"))
        try await command.run()
        #expect(kind(path + "/again") == S_IFDIR && kind(path + "/again.partial") == nil)
        // A link with the name of the folder is something that is there.
        try #require(symlink(path + "/nothing", path + "/dangling") == 0)
        command = try ContainerExportCommand.parse(words("dangling"))
        await #expect(throws: (any Error).self) { try await command.run() }
        #expect(kind(path + "/dangling") == S_IFLNK)
    }

    @Test func `A file with secrets is made under a name that nothing has`() throws {
        for stranger in try strangers() + [path + "/other"] {
            let before = kind(stranger)
            #expect(throws: Failure.self) { try OutputFile.makePrivate(stranger) }
            #expect(kind(stranger) == before)
        }
        try OutputFile.makePrivate(path + "/new").close()
        var status = stat()
        #expect(stat(path + "/new", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
}
