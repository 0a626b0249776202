import Foundation
import ObjectStorage
import RecordStorage
import TestSeeds
import TestSupport
import Testing

@testable import RecordBackup

/// Moments of a whole archive, and of one that somebody damaged.
@Suite struct ArchiveMomentTests {
    /// Writes at random times, some of them on the edge of a second, with stops between.
    private func history(_ random: inout Random, writes: Int) async throws -> ArchivedStore {
        let scene = try await ArchivedStore()
        for number in 0..<writes {
            if random.oneIn(4) {
                // To the second exactly, or one millisecond to either side.
                let now = scene.clock.now
                scene.clock.move(by: 1_000 - now % 1_000 + Int64(random.int(-1...1)))
            } else {
                scene.clock.move(by: Int64(random.int(0...1_500)))
            }
            try await scene.write()
            if number == 0 || random.oneIn(3) { try await scene.catchUp() }
            if number == writes / 2 { try await scene.restart() }
        }
        // A last part whose seconds no other has.
        try await scene.catchUp()
        scene.clock.move(by: 2_000)
        try await scene.write()
        try await scene.catchUp()
        return scene
    }

    @Test(arguments: Seed.some(3))
    func `A moment has all that was acknowledged up to its second, and nothing later`(seed: Seed) async throws
    {
        var random = seed.random
        let scene = try await history(&random, writes: 14)
        let first = try #require(scene.archiver.status.earliest)
        await scene.stop()
        let last = try #require(scene.zones.last).at / 1_000 + 1
        for second in ((first + 999) / 1_000)...last {
            #expect(try await scene.zones(at: second) == scene.expected(at: second), "second \(second)")
        }
        // The second before the first one is refused.
        let early = await #expect(throws: BackupError.self) { try await scene.zones(at: first / 1_000 - 1) }
        #expect(early?.code == "ARCHIVE_TOO_EARLY")
    }

    @Test(arguments: Seed.some(4))
    func `A damaged, cut, swapped or missing part is told, and what came before it is there`(seed: Seed)
        async throws
    {
        var random = seed.random
        let scene = try await history(&random, writes: 10)
        await scene.stop()
        let last = try #require(scene.zones.last).at / 1_000 + 1
        let names = try await scene.segments()
        // A part before the base is not needed, and so not read: what came before the base was ready lies there.
        let base = try #require(try await ArchiveReader.bases(scene.objects, scene.archiver.names).last)
        let whole = names.filter { name in
            let numbers = ArchiveNames.numbers(name)
            return numbers[0] >= base.start && numbers.last ?? 0 > 0
        }
        try #require(whole.count >= 3, "The history is one of several parts: \(names)")
        // Not the last: that parts of the end are missing is not to be seen.
        let victim = random.pick(Array(whole.dropLast()), else: whole[0])
        let bytes = try await scene.objects.get(victim, maximumBytes: LogSegment.mostBytes)
        switch seed.value % 4 {
        case 0: try await scene.objects.delete(victim)
        case 1:
            var flipped = bytes
            flipped[random.int(0...bytes.count - 1)] ^= UInt8(1 << random.int(0...7))
            try await scene.objects.put(flipped, as: victim)
        case 2:
            try await scene.objects.put(Array(bytes.prefix(random.int(0...bytes.count - 1))), as: victim)
        default:
            let other = try #require(whole.last)
            let another = try await scene.objects.get(other, maximumBytes: LogSegment.mostBytes)
            try await scene.objects.put(another, as: victim)
        }
        let error = await #expect(throws: BackupError.self) { try await scene.zones(at: last) }
        #expect(["BACKUP_DAMAGED", "ARCHIVE_DAMAGED"].contains(error?.code))
        // Before it all is as it was.
        let before = ArchiveNames.numbers(victim)[1] - 1
        if before * 1_000 >= scene.archiver.status.earliest ?? .max, seed.value % 4 != 0 {
            #expect(try await scene.zones(at: before) == scene.expected(at: before))
        }
    }

    @Test func `Parts that are missing before a later base are told`() async throws {
        let scene = try await ArchivedStore()
        for _ in 0..<3 {
            scene.clock.move(by: 1_000)
            try await scene.write()
            try await scene.catchUp()
        }
        let middle = scene.clock.now / 1_000 + 2
        // A day later there is another base in the same chain.
        scene.clock.move(by: 86_400_000)
        let archiver = scene.archiver
        let objects = scene.objects
        let names = archiver.names
        #expect(try await eventually { try await ArchiveReader.bases(objects, names).count == 2 })
        await scene.stop()
        #expect(try await scene.zones(at: middle) == scene.expected(at: middle))
        let bases = try await ArchiveReader.bases(objects, names)
        let start = try #require(bases.last).start
        let last = try #require(
            try await scene.segments().last { ArchiveNames.numbers($0).first ?? 0 < start })
        try await objects.delete(last)
        let error = await #expect(throws: BackupError.self) { try await scene.zones(at: middle) }
        #expect(error?.code == "ARCHIVE_DAMAGED")
    }

    @Test func `The newest has what was written after a clock that was ahead was corrected`() async throws {
        let scene = try await ArchivedStore()
        try await scene.write()
        try await scene.catchUp()
        scene.clock.move(by: 7_200_000)
        try await scene.write()
        try await scene.catchUp()
        scene.clock.move(by: -7_200_000)
        for _ in 0..<3 { try await scene.write() }
        try await scene.restart()
        try await scene.write()
        await scene.stop()
        #expect(try await scene.zones(at: nil) == scene.zones.map(\.name))
        #expect(try await scene.zones(at: scene.clock.now / 1_000 + 1).count < scene.zones.count)
    }

    @Test func `A base that was changed is not restored, and leaves no directory`() async throws {
        let scene = try await ArchivedStore()
        try await scene.write()
        try await scene.catchUp()
        await scene.stop()
        let base = try #require(try await ArchiveReader.bases(scene.objects, scene.archiver.names).first)
        let path = scene.place + "/" + base.folder + "stratus.sqlite"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        let reader = try await ArchiveReader(
            scene.place, environment: [:], program: ArchivedStore.program, progress: { _, _, _ in })
        let again = scene.data + "-again"
        let error = await #expect(throws: BackupError.self) {
            try await reader.restore(second: scene.clock.now / 1_000 + 1, to: again)
        }
        #expect(error?.code == "BACKUP_DAMAGED")
        #expect(!FileManager.default.fileExists(atPath: again))
    }
}
