import Foundation
import RecordEngine
import RecordModel
import TestSupport
import Testing

@testable import RecordServer

/// The memory outlives the process, and no file can harm it.
@Suite struct HistoryFileTests {
    private func fill(_ history: RequestHistory, _ count: Int, _ random: inout Random) throws {
        for number in 0..<count {
            history.record(try SomeRequests.random(time: 1_700_000_000_000 + Int64(number) * 500, &random))
        }
        history.rejectedWrites.note(
            [
                RejectedWrites.Gap(kind: "type", recordType: "T"),
                RejectedWrites.Gap(
                    kind: "index", recordType: "T", field: "f", fieldType: "STRING", index: "QUERYABLE"),
            ],
            of: try SomeRequests.tenant(), time: 1_700_000_000_000, request: RequestID.next(), user: nil)
    }

    private func expectEqual(_ one: RequestHistory, _ other: RequestHistory, now: Int64) {
        let requests = one.page(RequestFilter(), limit: 100_000).requests
        #expect(requests == other.page(RequestFilter(), limit: 100_000).requests)
        for span in RequestSpan.allCases {
            #expect(one.points(span, now: now) == other.points(span, now: now))
        }
        #expect(one.rejectedWrites.entries(now: now) == other.rejectedWrites.entries(now: now))
    }

    @Test(arguments: Seed.some(4)) func readsWhatWasSaved(_ seed: Seed) throws {
        var random = seed.random
        let folder = try TemporaryDirectory()
        let now: Int64 = 1_700_000_000_000 + 1_000_000
        var history = RequestHistory(directory: folder.path)
        for _ in 0..<3 {
            try fill(history, random.int(0...1_000), &random)
            history.save()
            let read = RequestHistory(directory: folder.path)
            expectEqual(history, read, now: now)
            history = read
        }
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/stratus.history")
        #expect(mode[.posixPermissions] as? NSNumber == 0o600)
    }

    @Test func staysBelowItsLimitAtItsLargest() throws {
        let folder = try TemporaryDirectory()
        let history = RequestHistory(directory: folder.path)
        let long = String(repeating: "x", count: Limits.requestTextBytes)
        for number in 0..<3_000 {
            for status in [200, 400, 500] {
                history.record(
                    SomeRequests.entry(time: Int64(number) * 600_000, status: status) { entry in
                        entry.path = long
                        entry.trace.user = String(long.prefix(255))
                        entry.trace.error = ServiceError(.internalError, long, remedy: long)
                        entry.duration = .microseconds(number % 25 * 40_000)
                    })
            }
        }
        history.save()
        let path = folder.path + "/stratus.history"
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
        #expect(try #require(size).intValue > Limits.requestHistoryBytes)
        #expect(try #require(size).intValue <= Limits.requestHistoryFileBytes)
        expectEqual(history, RequestHistory(directory: folder.path), now: 3_000 * 600_000)
    }

    @Test(arguments: Seed.some(3)) func leavesDamagedFilesOut(_ seed: Seed) throws {
        var random = seed.random
        let folder = try TemporaryDirectory()
        let path = folder.path + "/stratus.history"
        let history = RequestHistory(directory: folder.path)
        try fill(history, 50, &random)
        history.save()
        let good = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        for _ in 0..<40 {
            var bytes = good
            switch random.int(1...4) {
            case 1: bytes.removeLast(random.int(1...bytes.count))
            case 2: bytes += [UInt8](repeating: 0, count: random.int(1...50))
            case 3: bytes[random.int(12...12)] = 99
            default: bytes[random.int(0...bytes.count - 1)] ^= UInt8(1 << random.int(0...7))
            }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let log = KeptLog()
            let read = RequestHistory(directory: folder.path, logger: log.logger)
            #expect(read.count == 0)
            #expect(log.lines.count == 1)
        }
    }

    /// The checksum is no secret: contents that nobody of ours wrote must not stop the program either.
    @Test(arguments: Seed.some(10)) func survivesForeignContents(_ seed: Seed) throws {
        var random = seed.random
        let folder = try TemporaryDirectory()
        let path = folder.path + "/stratus.history"
        let history = RequestHistory(directory: folder.path)
        try fill(history, 20, &random)
        history.save()
        let good = Array(try #require(try HistoryFile.read(path)))
        for _ in 0..<100 {
            var bytes = good
            for _ in 0..<random.int(1...6) {
                bytes[random.int(0...bytes.count - 1)] = UInt8(random.int(0...255))
            }
            if random.oneIn(4) { bytes.removeLast(random.int(0...bytes.count)) }
            try HistoryFile.write(bytes, to: path)
            let read = RequestHistory(directory: folder.path, logger: KeptLog().logger)
            // Whatever was read can be asked for and added to.
            _ = read.page(RequestFilter(), limit: 1_000)
            for span in RequestSpan.allCases { _ = read.points(span, now: 1_700_000_000_000) }
            _ = read.rejectedWrites.entries(now: 1_700_000_000_000)
            let entry = SomeRequests.entry()
            read.record(entry)
            #expect(read.request(entry.uuid) != nil)
        }
    }

    @Test func keepsTheOldFileUntilTheNewOneIsWhole() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/stratus.history"
        let history = RequestHistory(directory: folder.path)
        let first = SomeRequests.entry()
        history.record(first)
        history.save()
        // A process that was killed while it wrote left the beginning of a file beside the old one.
        try Data("stratus.hist".utf8).write(to: URL(fileURLWithPath: path + ".new"))
        let read = RequestHistory(directory: folder.path)
        #expect(read.request(first.uuid) != nil)
        let second = SomeRequests.entry()
        read.record(second)
        read.save()
        let again = RequestHistory(directory: folder.path)
        #expect(again.request(first.uuid) != nil && again.request(second.uuid) != nil)
        #expect(!FileManager.default.fileExists(atPath: path + ".new"))
    }

    @Test func tellsWhenItCannotSave() throws {
        let log = KeptLog()
        let history = RequestHistory(directory: "/nowhere/at/all", logger: log.logger)
        history.record(SomeRequests.entry())
        history.save()
        #expect(log.lines.first?.contains("was not saved") == true)
    }
}
