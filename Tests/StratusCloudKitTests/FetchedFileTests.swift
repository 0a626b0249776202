import CloudKit
import Foundation
import TestSeeds
import Testing

@testable import StratusCloudKit

/// What apps do to the files of fetched records, and what the next fetch gives.
@Suite struct FetchedFileTests {
    private let ids = (0..<2).map { CKRecord.ID(recordName: "r\($0)") }

    /// A cloud with two records that have the same photo; `files` answers for the files.
    private func cloud(
        _ files: @escaping @Sendable (ScriptedTransport.Transfer) throws -> ScriptedTransport.Answer =
            AssetService.file
    ) -> TestCloud {
        let records = (0..<2).map {
            recordJSON("r\($0)", fields: #""image":\#(AssetService.field("photo"))"#)
        }
        let answer = #"{"records":[\#(records.joined(separator: ","))]}"#
        return TestCloud(ScriptedTransport(fallback: { _ in .json(answer) }, files: files))
    }

    private func url(_ record: CKRecord) throws -> URL {
        try #require((record["image"] as? CKAsset)?.fileURL)
    }

    private func text(_ record: CKRecord) throws -> String {
        try String(contentsOf: try url(record), encoding: .utf8)
    }

    private func fetch(_ cloud: TestCloud) async throws -> [CKRecord] {
        let found = try await cloud.database.records(for: ids)
        return try ids.map { try #require(try found[$0]?.get()) }
    }

    /// What an app does to a file that it fetched; `own` is a folder of the app's.
    enum AuditedAction: String, CaseIterable, CustomTestStringConvertible {
        case nothing, move, delete, overwriteSameLength, overwriteKeepingDate, truncate, append
        case replaceByFile, replaceByFolder, replaceByLink, replaceByDanglingLink, replaceByPipe
        case linkAndOverwrite, takeRights, removeFolder, removeAllFolders, closeFolder

        var testDescription: String { rawValue }

        /// Whether files of other fetches are hit as well.
        var hitsOthers: Bool { [.removeFolder, .removeAllFolders, .closeFolder].contains(self) }

        func callAsFunction(_ file: URL, own: URL) throws {
            let files = FileManager.default
            let folder = file.deletingLastPathComponent()
            func write(_ text: String, to path: URL, keepingDate: Bool = false) throws {
                let date = try files.attributesOfItem(atPath: path.path)[.modificationDate]
                let handle = try FileHandle(forWritingTo: path)
                try handle.write(contentsOf: Data(text.utf8))
                try handle.close()
                if keepingDate, let date {
                    try files.setAttributes([.modificationDate: date], ofItemAtPath: path.path)
                }
            }
            let mine = own.appendingPathComponent("mine")
            switch self {
            case .nothing: break
            case .move: try files.moveItem(at: file, to: mine)
            case .delete: try files.removeItem(at: file)
            case .overwriteSameLength: try write("PHOTO", to: file)
            case .overwriteKeepingDate: try write("PHOTO", to: file, keepingDate: true)
            case .truncate:
                let handle = try FileHandle(forWritingTo: file)
                try handle.truncate(atOffset: 2)
                try handle.close()
            case .append: try Data("photo+".utf8).write(to: file)
            case .replaceByFile:
                try Data("other".utf8).write(to: mine)
                try #require(rename(mine.path, file.path) == 0)
            case .replaceByFolder:
                try files.removeItem(at: file)
                try files.createDirectory(at: file, withIntermediateDirectories: false)
                try Data("x".utf8).write(to: file.appendingPathComponent("x"))
            case .replaceByLink:
                try files.moveItem(at: file, to: mine)
                try files.createSymbolicLink(at: file, withDestinationURL: mine)
            case .replaceByDanglingLink:
                try files.removeItem(at: file)
                try files.createSymbolicLink(at: file, withDestinationURL: mine)
            case .replaceByPipe:
                try files.removeItem(at: file)
                try #require(mkfifo(file.path, 0o600) == 0)
            case .linkAndOverwrite:
                try files.linkItem(at: file, to: mine)
                try write("PHOTO", to: mine)
            case .takeRights: try files.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
            case .removeFolder: try files.removeItem(at: folder)
            case .removeAllFolders:
                // The folder above is shared with other tests of the process: theirs stay.
                for entry in try files.contentsOfDirectory(atPath: folder.path) {
                    try files.removeItem(at: folder.appendingPathComponent(entry))
                }
            case .closeFolder: try files.setAttributes([.posixPermissions: 0], ofItemAtPath: folder.path)
            }
        }
    }

    @Test(
        "Whatever an app does to a fetched file, the next fetches give the photo",
        arguments: AuditedAction.allCases)
    func deeds(deed: AuditedAction) async throws {
        let own = try TemporaryDirectory()
        let cloud = cloud()
        let held = try await fetch(cloud)
        let (file, other) = (try url(held[0]), try url(held[1]))
        try deed(file, own: own.url)
        if !deed.hitsOthers { #expect(try String(contentsOf: other, encoding: .utf8) == "photo") }
        for _ in 0..<2 {
            let again = try await fetch(cloud)
            for record in again {
                #expect(try text(record) == "photo")
                #expect(try ![file, other].contains(url(record)), "An app's file is the app's alone.")
                let isFile = try FileManager.default.attributesOfItem(atPath: url(record).path)[.type]
                #expect(isFile as? FileAttributeType == .typeRegular)
            }
        }
        withExtendedLifetime((held, own)) {}
    }

    @Test("A list that is fetched again and again has all its photos, each moved as soon as it came")
    func refresh() async throws {
        let own = try TemporaryDirectory()
        let cloud = cloud()
        var onScreen: [CKRecord] = []
        for round in 0..<3 {
            let query = CKQuery(recordType: "Player", predicate: NSPredicate(value: true))
            let (matches, _) = try await cloud.database.records(matching: query)
            let records = try matches.map { try $0.1.get() }
            for (index, record) in records.enumerated() {
                let kept = own.url.appendingPathComponent("\(round)-\(index)")
                try FileManager.default.moveItem(at: try url(record), to: kept)
                #expect(try String(contentsOf: kept, encoding: .utf8) == "photo")
            }
            onScreen += records
        }
        #expect(onScreen.count == 6)
        withExtendedLifetime(own) {}
    }

    @Test("A folder of downloads that is removed while a file comes is made again")
    func removedMeanwhile() async throws {
        let folder = EventLog()
        let cloud = cloud { transfer in
            // Each folder is removed once, before its file is written.
            if let path = folder.events.last, FileManager.default.fileExists(atPath: path) {
                try FileManager.default.removeItem(atPath: path)
            }
            return AssetService.file(transfer)
        }
        let first = try await fetch(cloud)
        folder.note(try url(first[0]).deletingLastPathComponent().path)
        for record in first { try FileManager.default.removeItem(at: url(record)) }
        for record in try await fetch(cloud) { #expect(try text(record) == "photo") }
    }

    @Test("A download whose bytes are others than the service's is refused")
    func wrongBytes() async throws {
        let cloud = cloud { _ in .response(.init(status: 200, body: Array("PHOTO".utf8))) }
        let found = try await cloud.database.records(for: ids)
        for id in ids {
            let error = #expect(throws: CKError.self) { try found[id]?.get() }
            #expect(error?.code == .assetNotAvailable)
        }
        #expect(cloud.transport.transfers.count == 2, "what is wrong at its source is not asked for again")
    }

    @Test("Two containers and two databases give the photo, also while one app works on its files")
    func strangers() async throws {
        let own = try TemporaryDirectory()
        let (one, two) = (cloud(), cloud())
        let held = try await fetch(one)
        try AuditedAction.linkAndOverwrite(try url(held[0]), own: own.url)
        let others = try await fetch(two)
        let found = try await one.privateDatabase.record(for: ids[0])
        #expect(try (others + [found]).map { try text($0) } == ["photo", "photo", "photo"])
        withExtendedLifetime((held, own)) {}
    }

    @Test("Fetches at once, and an app that does things to files meanwhile", arguments: Seed.some(4))
    func manyAtOnce(seed: Seed) async throws {
        let own = try TemporaryDirectory()
        let cloud = cloud()
        let deeds = AuditedAction.allCases.filter { !$0.hitsOthers }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<6 {
                group.addTask {
                    var random = Random(seed: seed.value &+ UInt64(task))
                    var held: [CKRecord] = []
                    for round in 0..<10 {
                        let records = try await fetch(cloud)
                        for (index, record) in records.enumerated() {
                            #expect(
                                try text(record) == "photo",
                                "seed \(seed.value), task \(task), round \(round)")
                            let folder = own.url.appendingPathComponent("\(task)-\(round)-\(index)")
                            try FileManager.default.createDirectory(
                                at: folder, withIntermediateDirectories: true)
                            try random.pick(deeds, else: .move)(try url(record), own: folder)
                        }
                        held = random.oneIn(3) ? [] : held + records
                    }
                    withExtendedLifetime(held) {}
                }
            }
            try await group.waitForAll()
        }
        withExtendedLifetime(own) {}
    }
}
