/// Objects by name: bytes that are written whole or not at all, and never changed in part.
///
/// Names are relative to where the store was opened, as in `backups/one/stratus.sqlite`. Memory is bounded whatever the
/// size of an object: files are read and written in pieces.
public protocol ObjectStore: Sendable {
    /// Where it is, for people; holds no secret.
    var location: String { get }

    /// Writes an object. When this returns, the store has it; what had the name before is replaced.
    ///
    /// - Throws: ``ObjectStorageError``; `CancellationError`.
    func put(_ bytes: [UInt8], as name: String) async throws

    /// Writes an object of the bytes of a file, which nobody changes meanwhile.
    ///
    /// - Throws: ``ObjectStorageError``, also where the file cannot be read; `CancellationError`.
    func put(file path: String, as name: String) async throws

    /// Reads an object.
    ///
    /// - Throws: ``ObjectStorageError``, also where it does not exist or has more bytes; `CancellationError`.
    func get(_ name: String, maximumBytes: Int) async throws -> [UInt8]

    /// Reads an object into a new file.
    ///
    /// - Throws: ``ObjectStorageError``, also where it does not exist; `CancellationError`. No file is left then.
    func get(_ name: String, toFile path: String) async throws

    /// What is known of an object; nil where there is none.
    ///
    /// - Throws: ``ObjectStorageError``; `CancellationError`.
    func head(_ name: String) async throws -> ObjectInfo?

    /// The objects whose names begin with a text, in the order of their names' bytes.
    ///
    /// - Parameter token: nil for the first page, else what the page before had as ``ObjectPage/next``.
    /// - Throws: ``ObjectStorageError``; `CancellationError`.
    func list(_ prefix: String, from token: String?) async throws -> ObjectPage

    /// The names of the folders in a folder, in their order: `one` for `backups/one/stratus.sqlite` in `backups/`.
    ///
    /// - Throws: ``ObjectStorageError``; `CancellationError`.
    func folders(in folder: String) async throws -> [String]

    /// Removes an object; one that does not exist is no error.
    ///
    /// - Throws: ``ObjectStorageError``; `CancellationError`.
    func delete(_ name: String) async throws

    /// Removes what interrupted writes left below a prefix, where the store keeps such things.
    ///
    /// - Throws: ``ObjectStorageError``; `CancellationError`.
    func removeUnfinished(_ prefix: String) async throws
}

extension ObjectStore {
    /// Calls a closure with each object whose name begins with a text, in the order of their names.
    ///
    /// - Throws: ``ObjectStorageError``; `CancellationError`; what the closure throws.
    public func forEach(_ prefix: String, _ visit: (ObjectInfo) async throws -> Void) async throws {
        var token: String?
        repeat {
            let page = try await list(prefix, from: token)
            for object in page.objects { try await visit(object) }
            token = page.next
        } while token != nil
    }
}

/// What is known of an object without its bytes.
public struct ObjectInfo: Sendable, Equatable {
    /// Its name.
    public var name: String
    /// The number of its bytes.
    public var size: Int64
    /// When it was written, in milliseconds since 1970 by the store's clock; 0 where it was not asked for.
    public var modifiedAt: Int64 = 0

    /// Collects them.
    public init(name: String, size: Int64, modifiedAt: Int64 = 0) {
        self.name = name
        self.size = size
        self.modifiedAt = modifiedAt
    }
}

/// Some of the objects of a list.
public struct ObjectPage: Sendable {
    /// The objects.
    public var objects: [ObjectInfo]
    /// What the next page is asked for with; nil after the last one.
    public var next: String?

    /// Collects both.
    public init(objects: [ObjectInfo], next: String?) {
        self.objects = objects
        self.next = next
    }
}

/// Opens the store that a location names.
public enum ObjectStores {
    /// Whether a location is one of an S3-compatible store rather than a folder.
    public static func isRemote(_ location: String) -> Bool { location.lowercased().hasPrefix("s3://") }

    /// Opens a store; nothing is asked of it yet.
    ///
    /// - Parameters:
    ///   - location: `s3://BUCKET/PREFIX`, or a folder.
    ///   - environment: where endpoint, region and credentials are, as the tools of AWS have them.
    /// - Throws: ``ObjectStorageError`` where the location is not valid, or there are no credentials.
    public static func open(
        _ location: String, environment: [String: String]
    ) throws(ObjectStorageError) -> any ObjectStore {
        guard isRemote(location) else { return FolderStore(path: location) }
        let place = try S3Location(location, environment: environment)
        return S3Store(place, credentials: try S3Credentials.find(environment))
    }
}
