import CZlib
import Crypto
import Foundation
import TestSeeds
import TestSupport
import Testing

@testable import RecordBackup
@testable import RecordStorageSQLite

/// Parts of the log as bytes: written and read, damaged by chance and on purpose.
@Suite struct LogSegmentTests {
    /// One commit of a spool.
    private struct Commit {
        var time: Int64
        var databasePages: UInt32
        var pages: [(number: UInt32, bytes: [UInt8])]
    }

    private static let pageSize = 512

    private func commits(_ random: inout Random) -> [Commit] {
        var time: Int64 = 1_760_000_000_000
        return (0..<random.int(1...12)).map { _ in
            time += Int64(random.int(0...900))
            let pages = (0..<random.int(1...6)).map { _ in
                (
                    UInt32(random.int(1...9)),
                    [UInt8](repeating: UInt8(random.int(0...255)), count: Self.pageSize)
                )
            }
            return Commit(time: time, databasePages: UInt32(random.int(9...12)), pages: pages)
        }
    }

    /// The bytes of a spool's file, and where each commit ends.
    private func spool(_ commits: [Commit]) throws -> (bytes: [UInt8], ends: [Int]) {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for commit in commits {
            let position = try #require(LogPosition(numbers: [1, 2, UInt32(ends.count), 4, 5]))
            let end = SpoolRecord.End(
                position: position, frames: UInt32(commit.pages.count), databasePages: commit.databasePages)
            bytes += end.head(time: commit.time, pageSize: Self.pageSize)
            for page in commit.pages {
                withUnsafeBytes(of: page.number.littleEndian) { bytes += $0 }
                bytes += page.bytes
            }
            ends.append(bytes.count)
        }
        return (bytes, ends)
    }

    private func segment(_ spool: [UInt8]) throws -> LogSegment {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/spool"
        try Data(spool).write(to: URL(fileURLWithPath: path))
        return try LogSegment(spooled: path)
    }

    /// A database to which a segment's groups up to a second were applied.
    private func applied(_ segment: LogSegment, upTo second: Int64) throws -> [UInt8] {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/database"
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        for group in segment.groups where group.second <= second {
            try LogSegment.apply(group, pageSize: segment.pageSize, to: file, path: path)
        }
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// The same by the commits themselves, one after the other.
    private func expected(_ commits: [Commit], upTo second: Int64) -> [UInt8] {
        var database: [UInt8] = []
        func size(_ pages: Int) {
            let count = pages * Self.pageSize
            database = Array(database.prefix(count))
            database += [UInt8](repeating: 0, count: count - database.count)
        }
        for commit in commits where commit.time <= second * 1_000 {
            size(max(database.count / Self.pageSize, 9))
            for page in commit.pages {
                let start = (Int(page.number) - 1) * Self.pageSize
                database.replaceSubrange(start..<start + Self.pageSize, with: page.bytes)
            }
            size(Int(commit.databasePages))
        }
        return database
    }

    @Test(arguments: Seed.some(20))
    func `Each second of a segment is what the commits up to it made`(seed: Seed) throws {
        var random = seed.random
        let commits = commits(&random)
        let written = try segment(try spool(commits).bytes)
        let read = try LogSegment(try written.bytes(), name: "one")
        #expect(read.groups.map(\.second) == written.groups.map(\.second))
        let first = try #require(commits.first).time / 1_000
        let last = try #require(commits.last).time / 1_000 + 1
        for second in (first - 1)...last {
            #expect(try applied(read, upTo: second) == expected(commits, upTo: second), "second \(second)")
        }
    }

    @Test(arguments: Seed.some(10))
    func `A spool that ends anywhere gives the commits that are whole`(seed: Seed) throws {
        var random = seed.random
        let commits = commits(&random)
        let (bytes, ends) = try spool(commits)
        let folder = try TemporaryDirectory()
        let path = folder.path + "/spool"
        for count in [0, 1, 43, 44] + (0..<20).map({ _ in random.int(0...bytes.count) }) {
            try Data(bytes.prefix(count)).write(to: URL(fileURLWithPath: path))
            var seen: [Int64] = []
            try SpoolFile.read(path) { seen.append($0.time) }
            #expect(seen == commits.prefix(ends.count { $0 <= count }).map(\.time))
        }
    }

    @Test(arguments: Seed.some(40))
    func `Changed bytes are refused, and never stop the process`(seed: Seed) throws {
        var random = seed.random
        let good = try segment(try spool(commits(&random)).bytes).bytes()
        for _ in 0..<20 {
            var bytes = good
            switch random.int(0...2) {
            case 0: bytes[random.int(0...bytes.count - 1)] ^= UInt8(1 << random.int(0...7))
            case 1: bytes = Array(bytes.prefix(random.int(0...bytes.count - 1)))
            default: bytes += [UInt8(random.int(0...255))]
            }
            #expect(throws: BackupError.self) { try LogSegment(bytes, name: "one") }
        }
    }

    @Test(arguments: Seed.some(40))
    func `Nonsense with a right digest is refused or harmless`(seed: Seed) throws {
        var random = seed.random
        let good = try segment(try spool(commits(&random)).bytes).bytes()
        for _ in 0..<20 {
            var bytes = Array(good.dropLast(32))
            for _ in 0..<random.int(1...4) {
                // The head, and what is compressed behind it.
                bytes[random.int(0...min(bytes.count - 1, random.oneIn(2) ? 23 : bytes.count - 1))] = UInt8(
                    random.int(0...255))
            }
            bytes += Array(SHA256.hash(data: bytes))
            guard let read = try? LogSegment(bytes, name: "one") else { continue }
            for group in read.groups { #expect(group.pages.count.isMultiple(of: 4 + read.pageSize)) }
        }
    }

    @Test(arguments: Seed.some(10))
    func `What a server remembers of its archive is read as it was, or not at all`(seed: Seed) throws {
        var random = seed.random
        let folder = try TemporaryDirectory()
        var state = ArchiveState()
        state.chain = "20261123T060000Z-0a1b2c3d"
        state.number = random.int(1...1_000_000)
        state.position = LogPosition(numbers: (0..<5).map { _ in UInt32(random.int(0...Int(UInt32.max))) })
        state.stamp = random.oneIn(2) ? nil : [1, 2, 3, 4]
        state.baseAt = Int64(random.int(0...2_000_000_000_000))
        try state.write(to: folder.path)
        #expect(ArchiveState(folder: folder.path) == state)
        let path = folder.path + "/state.json"
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // Cut short, which the file system may do to it when the power goes: a new chain begins.
        try bytes.prefix(random.int(0...bytes.count - 1)).write(to: URL(fileURLWithPath: path))
        #expect(ArchiveState(folder: folder.path) == ArchiveState())
    }
}
