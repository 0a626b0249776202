import RecordWire

/// What an exported container consists of. It is written last: a folder without one is a part of an export.
///
/// There is nothing in it that another export of the same container would not have: no times, no versions of programs.
public struct ContainerManifest: Sendable, Equatable {
    /// A file of lines or of text.
    public struct File: Sendable, Equatable {
        /// Where it is, below the folder.
        public var path: String
        /// Its bytes.
        public var bytes: Int64
        /// Its lines.
        public var lines: Int
        /// SHA-256 of it, in hexadecimal digits.
        public var sha256: String

        func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("path", path)
            writer.member("bytes", bytes)
            writer.member("lines", lines)
            writer.member("sha256", sha256)
            writer.endObject()
        }
    }

    /// The manifest's name in the folder.
    public static let fileName = "manifest.json"
    private static let format = "stratus-container"
    private static let version: Int64 = 1

    /// The container's identifier.
    public var container: String
    /// The files of lines and text, in the order in which an import reads them.
    public internal(set) var files: [File] = []
    /// How many files of records there are below `assets/`, and their bytes.
    public internal(set) var assetFiles = 0
    public internal(set) var assetBytes: Int64 = 0

    init(container: String) { self.container = container }

    /// The manifest's JSON.
    public var json: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("format", Self.format)
            writer.member("version", Self.version)
            writer.member("container", container)
            writer.key("files")
            writer.beginArray()
            for file in files { file.write(to: &writer) }
            writer.endArray()
            writer.member("assetFiles", assetFiles)
            writer.member("assetBytes", assetBytes)
            writer.endObject()
        }
    }

    /// Reads a manifest.
    ///
    /// - Throws: ``TransferError`` where it is none, or of a newer version.
    public init(json: [UInt8]) throws {
        guard let object = try? JSONReader.read(json).object, object["format"]?.string == Self.format,
            let container = object["container"]?.string
        else {
            throw TransferError(
                "EXPORT_UNKNOWN", "The folder's \(Self.fileName) is not that of an exported container.")
        }
        guard object["version"]?.int == Self.version else {
            throw TransferError(
                "EXPORT_NEWER", "The export was made by a newer version of Stratus.",
                remedy: "Install that version, or export again with this one.")
        }
        self.container = container
        assetFiles = Int(Self.amount("assetFiles", in: object))
        assetBytes = Self.amount("assetBytes", in: object)
        for file in try object.objects("files") {
            files.append(
                File(
                    path: try file.requiredString("path"), bytes: Self.amount("bytes", in: file),
                    lines: Int(Self.amount("lines", in: file)), sha256: try file.requiredString("sha256")))
        }
    }

    /// An amount, of which sums are made for the line of progress. It is the folder's word alone: what is there is counted again.
    private static func amount(_ name: String, in object: JSONObject) -> Int64 {
        min(max(0, object[name]?.int ?? 0), largestAmount)
    }

    private static let largestAmount: Int64 = 1 << 50

    /// How many lines the files of a name have, in all environments.
    public func lines(of name: String) -> Int {
        files.filter { $0.path.hasSuffix("/" + name) }.reduce(0) {
            min($0, Int(Self.largestAmount)) + $1.lines
        }
    }
}
