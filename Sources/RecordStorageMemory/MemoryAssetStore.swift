internal import Crypto
internal import NIOCore
public import RecordModel
public import RecordStorage
internal import Synchronization

/// The files of assets in memory, for tests: nothing is left when it goes.
public final class MemoryAssetStore: AssetStore {
    fileprivate struct File: Sendable {
        var bytes: ByteBuffer
        var placedAt: Int64
    }

    fileprivate let files = Mutex<[AssetDigest: File]>([:])
    fileprivate let now: @Sendable () -> Int64

    /// Makes an empty place.
    ///
    /// - Parameter now: the clock that says when files were put there, in milliseconds since 1970.
    public init(now: @escaping @Sendable () -> Int64) { self.now = now }

    public func beginUpload() async throws -> any AssetWriter { MemoryAssetWriter(self) }

    public func open(_ digest: AssetDigest) async throws -> (any AssetReader)? {
        files.withLock { $0[digest] }.map { MemoryAssetReader(bytes: $0.bytes) }
    }

    public func delete(_ digest: AssetDigest) async throws {
        files.withLock { $0[digest] = nil }
    }

    /// Nothing: no other process has this memory.
    public func hold(_ digest: AssetDigest) async throws -> any Sendable { () }

    public func files(after digest: AssetDigest?, limit: Int) async throws -> [AssetFile] {
        let later = files.withLock { $0 }.filter { entry in digest.map { $0 < entry.key } ?? true }
        return later.sorted { $0.key < $1.key }.prefix(limit).map { digest, file in
            AssetFile(digest: digest, size: Int64(file.bytes.readableBytes), modifiedAt: file.placedAt)
        }
    }
}

/// A file on its way in.
private final class MemoryAssetWriter: AssetWriter {
    private struct State {
        var bytes = ByteBuffer()
        var digest: AssetDigest?
    }

    private let store: MemoryAssetStore
    private let state = Mutex(State())

    init(_ store: MemoryAssetStore) { self.store = store }

    func write(_ bytes: ByteBuffer) async throws {
        state.withLock { _ = $0.bytes.writeImmutableBuffer(bytes) }
    }

    func finish() async throws -> AssetContent {
        try state.withLock { state in
            let hash = state.bytes.withUnsafeReadableBytes { SHA256.hash(data: $0) }
            guard let digest = AssetDigest(bytes: Array(hash)) else {
                throw StorageError.engine("A digest has the wrong length.")
            }
            state.digest = digest
            return AssetContent(digest: digest, size: Int64(state.bytes.readableBytes))
        }
    }

    func place() async throws {
        let (digest, bytes) = state.withLock { ($0.digest, $0.bytes) }
        guard let digest else { throw StorageError.engine("An upload was placed before its end.") }
        let file = MemoryAssetStore.File(bytes: bytes, placedAt: store.now())
        store.files.withLock { $0[digest] = file }
    }

    func abandon() async {}
}

/// A file that is open for reading.
private final class MemoryAssetReader: AssetReader {
    private let bytes: ByteBuffer

    init(bytes: ByteBuffer) { self.bytes = bytes }

    var size: Int64 { Int64(bytes.readableBytes) }
    var head: [UInt8] { Array(bytes.readableBytesView.prefix(AssetHead.byteCount)) }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        let start = Int(min(max(0, offset), size))
        return bytes.getSlice(at: start, length: min(max(0, count), bytes.readableBytes - start))
            ?? ByteBuffer()
    }
}
