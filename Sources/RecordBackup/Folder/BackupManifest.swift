import Foundation
import RecordStorageSQLite
import RecordWire

/// What a backup says of itself: the file `manifest.json` in its folder, written last.
public struct BackupManifest: Sendable, Equatable {
    /// A file of the backup.
    public struct Part: Sendable, Equatable {
        /// Where it is, below the backup's folder.
        public var path: String
        /// Its bytes.
        public var size: Int64
        /// The digest of its bytes, as hexadecimal digits.
        public var sha256: String
    }

    /// The name of the file.
    public static let fileName = "manifest.json"
    /// The form of backups that this program writes.
    public static let currentFormat = 1

    /// The form of the backup.
    public var format = Self.currentFormat
    /// The version of the program that made it.
    public var version: String
    /// The commit of that program.
    public var commit = ""
    /// When it was begun, in milliseconds since 1970: all that was acknowledged before is in it.
    public var createdAt: Int64 = 0
    /// The versions of the database's layout.
    public var layouts: [String] = []
    /// Which store it is of: backups of one store have the same, and it says nothing else.
    public var store = ""
    /// The last sequence number in it.
    public var sequence: Int64 = 0
    /// How many records, users, tokens and files there are.
    public var counts: [String: Int64] = [:]
    /// The database, the secret and the schemas.
    public var parts: [Part] = []
    /// How many files (assets) are in it, and their bytes.
    public var assetFiles = 0
    /// The bytes of the files.
    public var assetBytes: Int64 = 0
    /// The digest over the names of the files, one on each line, in order.
    public var assetsSHA256 = ""
    /// The digests of files that records have and the data directory lacked.
    public var missing: [String] = []
    /// Whether it was opened and read after it was written.
    public var isVerified = false

    /// The bytes of all of it.
    public var size: Int64 { parts.reduce(assetBytes) { $0 + $1.size } }

    /// Its JSON.
    var json: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("format", format)
            writer.member("version", version)
            writer.member("commit", commit)
            writer.member(
                "created", Date(timeIntervalSince1970: Double(createdAt) / 1_000).formatted(.iso8601))
            writer.member("createdAt", createdAt)
            writer.member("layouts", layouts)
            writer.member("store", store)
            writer.member("sequence", sequence)
            writer.key("counts")
            writer.beginObject()
            for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
                writer.key(text: name)
                writer.int(count)
            }
            writer.endObject()
            writer.key("parts")
            writer.beginArray()
            for part in parts {
                writer.beginObject()
                writer.member("path", part.path)
                writer.member("size", part.size)
                writer.member("sha256", part.sha256)
                writer.endObject()
            }
            writer.endArray()
            writer.key("assets")
            writer.beginObject()
            writer.member("files", assetFiles)
            writer.member("size", assetBytes)
            writer.member("sha256", assetsSHA256)
            writer.member("missing", missing)
            writer.endObject()
            writer.member("verified", isVerified)
            writer.endObject()
        }
    }

    /// Reads the manifest of a backup's folder.
    ///
    /// - Throws: ``BackupError`` where it is missing, damaged, or of a newer program.
    init(readingFrom folder: String) throws {
        let path = folder + "/" + Self.fileName
        guard FileManager.default.fileExists(atPath: path) else { throw BackupError.none(folder) }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw BackupError.file("read", path)
        }
        try self.init(json: Array(data), of: folder)
    }

    /// Reads a manifest.
    ///
    /// - Parameter folder: of which backup it is.
    /// - Throws: ``BackupError`` where it is damaged, or of a newer program.
    init(json bytes: [UInt8], of folder: String) throws {
        do {
            guard let object = try JSONReader.read(Data(bytes)).object else {
                throw JSONError.shape("It is not an object.")
            }
            self = try Self(object)
        } catch let error as JSONError {
            throw BackupError.damaged(folder, ["Its manifest cannot be read: \(error)."])
        }
    }

    private init(_ object: JSONObject) throws(JSONError) {
        func number(_ name: String, in object: JSONObject) throws(JSONError) -> Int64 {
            guard let value = try object.int(name) else { throw .missing(name) }
            // Whoever writes to the place may have written it, and sums are made of it.
            guard (0...ArchiveNames.largestNumber).contains(Int64(value)) else {
                throw .shape("Its '\(name)' is \(value), which no backup has")
            }
            return Int64(value)
        }
        format = Int(try number("format", in: object))
        version = try object.requiredString("version")
        commit = try object.string("commit") ?? ""
        layouts = try object.strings("layouts") ?? []
        // What a newer form says otherwise is not asked for: who reads it is told so.
        guard format <= Self.currentFormat else { return }
        createdAt = try number("createdAt", in: object)
        store = try object.requiredString("store")
        sequence = try number("sequence", in: object)
        for (name, value) in try object.object("counts")?.members ?? [] { counts[name] = value.int }
        for part in try object.objects("parts") {
            parts.append(
                Part(
                    path: try part.requiredString("path"), size: try number("size", in: part),
                    sha256: try part.requiredString("sha256")))
        }
        guard let assets = try object.object("assets") else { throw .missing("assets") }
        assetFiles = Int(try number("files", in: assets))
        assetBytes = try number("size", in: assets)
        let sum = parts.reduce(assetBytes) { min($0, ArchiveNames.largestNumber) + $1.size }
        guard sum <= ArchiveNames.largestNumber else { throw .shape("Its sizes are beyond what a disk has") }
        assetsSHA256 = try assets.requiredString("sha256")
        missing = try assets.strings("missing") ?? []
        isVerified = try object.bool("verified") ?? false
    }
}

extension BackupManifest {
    /// Starts the manifest of a backup that is being made.
    init(program: ProgramVersion, createdAt: Int64, store: String) {
        version = program.number
        commit = program.commit
        self.createdAt = createdAt
        self.store = store
    }

    /// Sees that this program can read the backup.
    ///
    /// - Throws: ``BackupError``.
    func checkReadable(by program: ProgramVersion) throws {
        guard format <= Self.currentFormat, Set(StoreSummary.knownLayouts).isSuperset(of: layouts) else {
            throw BackupError.tooNew(version, ours: program.number)
        }
    }
}

/// Which program this is.
public struct ProgramVersion: Sendable {
    /// The version.
    public var number: String
    /// The commit that it was built from.
    public var commit: String

    /// Names both.
    public init(number: String, commit: String) {
        self.number = number
        self.commit = commit
    }
}
