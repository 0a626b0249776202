import Foundation
import ObjectStorage
import RecordStorage
import TestSupport
import Testing

@testable import RecordBackup
@testable import RecordStorageSQLite

/// What goes from an archive, and what stays, at the edge of what is kept.
@Suite struct ArchiveRetentionTests {
    private static let hour: Int64 = 3_600_000

    /// An archive of four bases in two chains, six hours apart, whose log has ten parts for each base.
    private func archive(_ objects: FolderStore, _ names: ArchiveNames, at start: Int64) async throws {
        for (index, chain) in [
            "20260101T000000Z-aa", "20260101T000000Z-aa", "20260102T000000Z-bb",
            "20260102T000000Z-bb",
        ].enumerated() {
            let time = start + Int64(index) * 6 * Self.hour
            let number = index % 2 * 10 + 1
            let folder = "\(names.bases(chain))\(ArchiveNames.digits(number))-\(time)/"
            try await objects.put(Array("\(digest(index))\n".utf8), as: folder + ObjectBackups.listName)
            try await objects.put([1], as: folder + "manifest.json")
            for part in number..<number + 10 {
                try await objects.put([1], as: names.log(chain) + ArchiveNames.digits(part) + "-1-2")
            }
            try await put(digest(index), at: time, objects, names)
        }
    }

    private func digest(_ index: Int) -> String { String(repeating: "\(index)", count: 64) }

    private func put(_ digest: String, at time: Int64, _ objects: FolderStore, _ names: ArchiveNames)
        async throws
    {
        try await objects.put([2], as: names.files + digest)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: Double(time) / 1_000)],
            ofItemAtPath: objects.location + "/" + names.files + digest)
    }

    /// What is left of it after retention at a time: the number of bases, of parts of the log, and the files.
    private func kept(_ age: Int64, more: [(digest: String, at: Int64)] = []) async throws -> (
        bases: Int, parts: Int, files: Set<String>, earliest: Int64?
    ) {
        let home = try TemporaryDirectory()
        let start: Int64 = 1_760_000_000_000
        // The third base is exactly as old as what is kept, plus the age.
        let clock = ArchivedStore.TestClock(start + 12 * Self.hour + 24 * Self.hour + age)
        let objects = FolderStore(path: home.path + "/archive")
        let store = try ArchivedStore.open(home.path + "/data", clock)
        let archiver = ArchivedStore.archiver(
            store, home.path + "/data", objects, clock, keeps: 24 * Self.hour)
        try await archive(objects, archiver.names, at: start)
        for (digest, at) in more { try await put(digest, at: start + at, objects, archiver.names) }
        try await archiver.retain()
        await store.close()
        var names: [String] = []
        try await objects.forEach("") { names.append($0.name) }
        let files = names.filter { $0.contains("/files/") }.map { String($0.suffix(64)) }
        return (
            names.count { $0.hasSuffix("/manifest.json") }, names.count { $0.contains("/log/") }, Set(files),
            archiver.status.earliest
        )
    }

    @Test func `The newest base that is as old as what is kept stays, with all after it`() async throws {
        let (bases, parts, files, earliest) = try await kept(0)
        #expect(bases == 2 && parts == 20 && files == [digest(2), digest(3)])
        #expect(earliest == 1_760_000_000_000 + 12 * Self.hour)
    }

    @Test func `A millisecond earlier the base before it is still needed`() async throws {
        let (bases, parts, files, earliest) = try await kept(-1)
        #expect(bases == 3 && parts == 30 && files == [digest(1), digest(2), digest(3)])
        #expect(earliest == 1_760_000_000_000 + 6 * Self.hour)
    }

    @Test func `Where nothing is old, nothing goes`() async throws {
        let (bases, parts, files, _) = try await kept(-100 * Self.hour)
        #expect(bases == 4 && parts == 40 && files.count == 4)
    }

    @Test func `The last base stays, however old it is`() async throws {
        let (bases, parts, files, _) = try await kept(10_000 * Self.hour)
        #expect(bases == 1 && parts == 10 && files == [digest(3)])
    }

    @Test func `A file that came after the first kept base stays though no list has it yet`() async throws {
        let late = String(repeating: "a", count: 64)
        let old = String(repeating: "b", count: 64)
        let (_, _, files, _) = try await kept(
            0, more: [(late, 11 * Self.hour), (old, 11 * Self.hour - 1_000)])
        // An hour of difference between clocks is allowed for.
        #expect(files == [digest(2), digest(3), late])
    }
}
