public import NIOCore
public import RecordModel

/// A place that keeps the files of assets, each once, under the digest of its content.
///
/// What refers to a file, and since when nothing does, is in the ``RecordStore``; this place knows bytes only.
///
/// # The fault model
/// - A file that has its name (``AssetWriter/place()`` returned) is whole and on disk, and stays so whenever
///   the process or the machine stops.
/// - A file that does not have it yet is nobody's, and is gone after the next start at the latest.
/// - Files never change. Placing a content that already exists leaves that content there.
public protocol AssetStore: Sendable {
    /// Begins to take in a file.
    ///
    /// - Throws: ``StorageError`` where there is no place for it; `CancellationError`.
    func beginUpload() async throws -> any AssetWriter

    /// Opens a file for reading; nil where there is none of that content.
    ///
    /// - Throws: ``StorageError`` where it cannot be read; `CancellationError`.
    func open(_ digest: AssetDigest) async throws -> (any AssetReader)?

    /// Removes a file; one that does not exist is no error. Readers that have it open go on reading.
    ///
    /// - Throws: ``StorageError`` where it cannot be removed; `CancellationError`.
    func delete(_ digest: AssetDigest) async throws

    /// Keeps everybody else who shares this place, in this process or another one, from bringing a content's file and its row
    /// together, until what is returned is let go, or the process ends.
    ///
    /// - Throws: ``StorageError``, `STORAGE_BUSY` among others where somebody else holds it for longer than anything should
    ///   take; `CancellationError`.
    func hold(_ digest: AssetDigest) async throws -> any Sendable

    /// Some of the files, in the order of their digests, after a given one.
    ///
    /// - Throws: ``StorageError`` where they cannot be listed; `CancellationError`.
    func files(after digest: AssetDigest?, limit: Int) async throws -> [AssetFile]
}

/// A file on its way in. One task at a time uses it; one that is let go before it is placed is removed.
public protocol AssetWriter: Sendable {
    /// Appends bytes.
    ///
    /// - Throws: ``StorageError``, `STORAGE_FULL` among others; `CancellationError`.
    func write(_ bytes: ByteBuffer) async throws

    /// Ends the file: all of it is on disk then, without a name yet.
    ///
    /// - Throws: ``StorageError`` where the disk does not take it; `CancellationError`.
    func finish() async throws -> AssetContent

    /// Gives the finished file its name, durably.
    ///
    /// - Throws: ``StorageError`` where it cannot be renamed, or was not finished; `CancellationError`.
    func place() async throws

    /// Removes the file at once; without effect on one that was placed.
    func abandon() async
}

/// A file that is open for reading; it closes when nobody holds it any more.
public protocol AssetReader: Sendable {
    /// The length in bytes.
    var size: Int64 { get }
    /// The first bytes, ``AssetHead/byteCount`` at most, from which the kind of the file is recognised.
    var head: [UInt8] { get }

    /// Bytes from a position on: as many as asked for, fewer only at the end of the file.
    ///
    /// - Throws: ``StorageError`` where they cannot be read; `CancellationError`.
    func read(at offset: Int64, count: Int) async throws -> ByteBuffer
}

/// The beginning of a file.
public enum AssetHead {
    /// How many bytes are looked at to recognise the kind of a file.
    public static let byteCount = 64
}

/// A file as the place that keeps it knows it.
public struct AssetFile: Hashable, Sendable {
    /// The content that the file's name states.
    public var digest: AssetDigest
    /// The length in bytes.
    public var size: Int64
    /// When it was put there, in milliseconds since 1970.
    public var modifiedAt: Int64

    /// Creates the description of a stored file.
    public init(digest: AssetDigest, size: Int64, modifiedAt: Int64) {
        self.digest = digest
        self.size = size
        self.modifiedAt = modifiedAt
    }
}
