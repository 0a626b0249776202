import AssetStorageFiles
import Foundation
import NIOCore
import RecordEngine
import RecordModel
import RecordStorage
import RecordTransfer
import RecordWire
import SchemaLanguage
import TestSeeds
import TestSupport
import Testing

@Suite(.serialized) struct ContainerFilesTests {
    @Test(arguments: StoreEngine.allCases, Seed.some(4))
    func `Export, import and export again are the same to the byte`(
        _ engine: StoreEngine, _ seed: Seed
    ) async throws {
        let home = try TemporaryDirectory()
        let container = try ContainerID("iCloud.law")
        var world = RandomContainer(random: seed.random, container: container)
        let files = try FileAssetStore(directory: home.path + "/there")
        try await StoreEngine.chosen.run { store in
            try await world.fill(CopyTarget(store: store, files: files, now: { 7_000 }))
            try await Self.export(container, store, files, home.path + "/one")
        }
        // Nothing of the export may depend on the numbers that the other store gives, or on its engine.
        let others = try FileAssetStore(directory: home.path + "/here")
        try await engine.run { store in
            let target = CopyTarget(store: store, files: others, now: { 9_000 })
            let work = try ContainerImport(home.path + "/one")
            try work.check()
            #expect(try await ContainerImport.isFree(container, in: store))
            #expect(try await work.begin(as: container, to: target, withSchema: true) == 0)
            var positions: [Int64] = []
            try await work.takeRecords(as: container, to: target, from: 0) { position, outcome in
                positions.append(position)
                #expect(outcome.refusals.isEmpty && outcome.unchanged == 0)
            }
            #expect(positions == positions.sorted())
            #expect(try await !ContainerImport.isFree(container, in: store))
            // Again from any position on: nothing changes.
            let sequence = try await store.read(.short) { try $0.lastSequence() }
            _ = try await work.begin(as: container, to: target, withSchema: false)
            let middle = positions.isEmpty ? 0 : positions[positions.count / 2]
            try await work.takeRecords(as: container, to: target, from: middle) { _, outcome in
                #expect(outcome.saved == 0)
            }
            #expect(try await store.read(.short) { try $0.lastSequence() } == sequence)
            try await Self.export(container, store, others, home.path + "/two")
        }
        let (one, two) = (try Self.contents(home.path + "/one"), try Self.contents(home.path + "/two"))
        #expect(one.keys.sorted() == two.keys.sorted())
        for (name, data) in one { #expect(two[name] == data, "\(name) differs") }
        #expect(one.keys.contains("manifest.json"))
    }

    private static func export(
        _ container: ContainerID, _ store: any RecordStore, _ files: any AssetStore, _ path: String
    ) async throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let outcome = try await ContainerExport(container, store: store, assets: files).run(to: path)
        #expect(outcome.missing.isEmpty)
    }

    private static func contents(_ path: String) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            guard let data = FileManager.default.contents(atPath: path + "/" + name) else { continue }
            contents[name] = data
        }
        return contents
    }

    @Test func `A manifest is what was written, and nothing else is one`() throws {
        #expect(throws: TransferError.self) { try ContainerManifest(json: Array("{}".utf8)) }
        let newer = #"{"format":"stratus-container","version":2,"container":"iCloud.a","files":[]}"#
        #expect(throws: TransferError.self) { try ContainerManifest(json: Array(newer.utf8)) }
        let json = newer.replacingOccurrences(of: ":2", with: ":1")
        let manifest = try ContainerManifest(json: Array(json.utf8))
        #expect(manifest.container == "iCloud.a")
        // What it says of amounts is the folder's word: sums of any are made.
        let file =
            #"{"path":"production/records.jsonl","bytes":9223372036854775807,"lines":9223372036854775807,"sha256":"a"}"#
        let files = Array(repeating: file, count: 9_000).joined(separator: ",")
        let huge = json.replacingOccurrences(of: "[]", with: "[\(files)]")
        #expect(try ContainerManifest(json: Array(huge.utf8)).lines(of: "records.jsonl") > 0)
        #expect(try ContainerManifest(json: manifest.json) == manifest)
    }
}
