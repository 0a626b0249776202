import CZlib
import Crypto
import Foundation
import ObjectStorage
import RecordModel
import TestSupport
import Testing

@testable import RecordBackup

/// Numbers in a place of backups that nobody wrote in earnest: who may write there may write any, and a server and a restore
/// compute with them.
@Suite struct HostileNumberTests {
    static let numbers: [Int64] = [.min, -1, 1 << 53 + 1, .max / 1_000 + 1, .max - 998, .max]

    private let home = try? TemporaryDirectory()

    private func objects() throws -> FolderStore { FolderStore(path: try #require(home).path + "/place") }

    private func manifest(_ change: (inout BackupManifest) -> Void) -> [UInt8] {
        var manifest = BackupManifest(program: ArchivedStore.program, createdAt: 1, store: "s")
        change(&manifest)
        return manifest.json
    }

    @Test(arguments: numbers)
    func `A manifest with a number that no backup has is damaged`(number: Int64) throws {
        let changes: [(inout BackupManifest) -> Void] = [
            { $0.createdAt = number }, { $0.sequence = number }, { $0.assetBytes = number },
            { $0.parts = [.init(path: "a", size: number, sha256: "")] },
        ]
        for change in changes {
            #expect(throws: BackupError.self) { try BackupManifest(json: manifest(change), of: "one") }
        }
    }

    @Test func `Sizes that are together beyond 64 bits make a manifest damaged`() throws {
        let json = manifest { manifest in
            manifest.parts = (0..<2_000).map { .init(path: "\($0)", size: 1 << 53, sha256: "") }
        }
        #expect(throws: BackupError.self) { try BackupManifest(json: json, of: "one") }
    }

    @Test(arguments: numbers.filter { $0 > 0 })
    func `A folder whose name has such a number is no base of an archive`(number: Int64) async throws {
        let objects = try objects()
        let names = ArchiveNames(store: "s")
        let chain = ArchiveNames.chain(at: 1_760_000_000_000)
        for name in ["\(number)-1760000000000", "1-\(number)", "1-1760000000000"] {
            try await objects.put(manifest { _ in }, as: names.bases(chain) + name + "/manifest.json")
        }
        #expect(try await ArchiveReader.bases(objects, names).map(\.time) == [1_760_000_000_000])
    }

    @Test(arguments: numbers)
    func `A part of the log with a second that is none is damaged`(second: Int64) throws {
        // One group without a page: the second, the pages of the database, the count.
        var body = withUnsafeBytes(of: second.littleEndian) { Array($0) }
        body += [9, 0, 0, 0, 0, 0, 0, 0]
        var length = compressBound(uLong(body.count))
        var packed = [UInt8](repeating: 0, count: Int(length))
        try #require(compress2(&packed, &length, body, uLong(body.count), 1) == Z_OK)
        var bytes = Array("STRATUSLOG1\n".utf8) + [0, 2, 0, 0, UInt8(body.count), 0, 0, 0, 0, 0, 0, 0]
        bytes += packed[..<Int(length)]
        bytes += Array(SHA256.hash(data: bytes))
        #expect(throws: BackupError.self) { try LogSegment(bytes, name: "one") }
    }
}
