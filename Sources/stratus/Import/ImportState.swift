import RecordImport
import RecordWire

/// How far an import got, kept in a small file beside the input so that running it again goes on from there.
struct ImportState: Sendable, Equatable {
    private static let version: Int64 = 1

    /// What distinguishes the content of the input from another one.
    var fingerprint: String
    /// What is imported whereto and how; another import must not go on from here.
    var target: String
    /// All before this place is acknowledged by the server.
    var place: AcknowledgedFrontier.Place

    /// The name of the state file of an input.
    static func path(for input: String) -> String { input + ".stratus-import" }

    /// The state's JSON.
    var json: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("version", Self.version)
            writer.member("fingerprint", fingerprint)
            writer.member("target", target)
            writer.member("offset", place.offset)
            writer.member("line", place.line)
            writer.member("imported", place.imported)
            writer.member("rejected", place.rejected)
            writer.endObject()
        }
    }

    /// Makes a state of its parts.
    init(fingerprint: String, target: String, place: AcknowledgedFrontier.Place) {
        self.fingerprint = fingerprint
        self.target = target
        self.place = place
    }

    /// Reads a state; nil for anything else.
    init?(json: [UInt8]) {
        guard let object = try? JSONReader.read(json).object, object["version"]?.int == Self.version,
            let fingerprint = object["fingerprint"]?.string, let target = object["target"]?.string,
            let offset = object["offset"]?.int, let line = object["line"]?.int, offset >= 0, line >= 1,
            case let imported = object["imported"]?.int ?? 0,
            case let rejected = object["rejected"]?.int ?? 0,
            // The counts go on from here.
            [line, imported, rejected].allSatisfy({ (0..<Int64(CSVReader.lines.upperBound)).contains($0) }
            )
        else { return nil }
        self.fingerprint = fingerprint
        self.target = target
        place = AcknowledgedFrontier.Place(
            offset: offset, line: Int(line), imported: Int(imported), rejected: Int(rejected))
    }

    /// Writes the state so that a reader sees the old one or the new one, whole.
    func save(for input: String) throws {
        try StateFile(path: Self.path(for: input)).write(
            json, remedy: "Make its folder writable, or copy the input to a folder that is.")
    }

    /// Removes the state file of an input.
    static func remove(for input: String) { StateFile(path: path(for: input)).remove() }

    /// The position where an import goes on: that of the state file, or the beginning.
    ///
    /// - Throws: a ``Failure`` when the state file is of another input or another import.
    static func start(
        of file: InputFile, target: String, restart: Bool
    ) throws -> AcknowledgedFrontier.Place {
        let beginning = AcknowledgedFrontier.Place(offset: 0, line: 1, imported: 0, rejected: 0)
        guard !restart, !file.isStream, let bytes = StateFile(path: path(for: file.path)).contents else {
            return beginning
        }
        let restarts =
            "Run that command again to continue it, or add --restart to start over. With the same --name-field (or without one, as before) records that already exist get the values of the file; otherwise those sent before stay beside the new ones."
        guard let state = ImportState(json: bytes) else {
            throw Failure.usage(
                "The state file \(path(for: file.path)) cannot be read.",
                remedy: "Add --restart to start over.")
        }
        guard state.fingerprint == file.fingerprint else {
            throw Failure.usage(
                "\(file.path) changed since its import was interrupted.",
                remedy:
                    "Add --restart to start over. Without --name-field the names of records come from the file, so those sent before would stay beside the new ones."
            )
        }
        guard state.target == target, state.place.offset <= file.size else {
            throw Failure.usage(
                "The interrupted import of \(file.path) was another import: \(state.target).",
                remedy: restarts)
        }
        return state.place
    }
}
