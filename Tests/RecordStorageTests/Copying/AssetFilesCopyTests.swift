import AssetStorageFiles
import Foundation
import NIOCore
import RecordModel
import RecordStorage
import RecordStorageOpening
import TestSupport
import Testing

@Suite struct AssetFilesCopyTests {
    private func store(_ bytes: [UInt8], in files: any AssetStore) async throws -> AssetContent {
        let writer = try await files.beginUpload()
        try await writer.write(ByteBuffer(bytes: bytes))
        let content = try await writer.finish()
        try await writer.place()
        return content
    }

    @Test func `Files go over whole, and what is missing or damaged is named`() async throws {
        let directories = (try TemporaryDirectory(), try TemporaryDirectory())
        let source = try FileAssetStore(directory: directories.0.path)
        let target = try FileAssetStore(directory: directories.1.path)
        let large = [UInt8](repeating: 7, count: 3 << 20)
        let contents = [
            try await store(large, in: source), try await store([1, 2], in: source),
            try await store([3], in: source), try await store([4, 4], in: source),
        ]
        _ = try await store([1, 2], in: target)
        try await source.delete(contents[2].digest)
        let hex = contents[3].digest.hex
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directories.0.path)
        let path = try #require(paths.first { hex.hasSuffix(String($0.suffix(20))) && $0.count > 20 })
        try Data([9, 9]).write(to: URL(fileURLWithPath: directories.0.path + "/" + path))
        try await StoreEngine.memory.run { records in
            try await records.write { store in
                for content in contents { try store.noteAsset(content, at: 1) }
            }
            let outcome = try await AssetFilesCopy(from: source, to: target).run(filesOf: records)
            #expect(outcome.copied == 1 && outcome.present == 1)
            #expect(outcome.missing == [contents[2].digest] && outcome.damaged == [contents[3].digest])
        }
        let copied = try #require(try await target.open(contents[0].digest))
        #expect(try await copied.read(at: 0, count: large.count) == ByteBuffer(bytes: large))
        #expect(try await target.open(contents[3].digest) == nil)
    }
}
