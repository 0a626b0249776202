import Foundation
import RecordStorageSQLite
import RecordWire

/// What a server remembers of its archive, beside its data: how far the log went there.
struct ArchiveState: Equatable {
    var chain = ""
    /// The number of the next part of the log.
    var number = 1
    /// The place in the log after the last part.
    var position: LogPosition?
    /// The database after it was closed, with all of the log in the spool.
    var stamp: [Int]?
    /// When the last base of the chain was made, in milliseconds since 1970; 0 for none.
    var baseAt: Int64 = 0

    private static let name = "/state.json"

    init() {}

    /// Reads it; an empty one where there is none, which begins a new chain.
    init(folder: String) {
        guard let data = FileManager.default.contents(atPath: folder + Self.name), data.count < 100_000,
            let object = (try? JSONReader.read(data))?.object, let chain = try? object.string("chain"),
            let number = try? object.int("number")
        else { return }
        self.chain = chain
        self.number = Int(number)
        baseAt = Int64((try? object.int("baseAt")) ?? 0)
        position = (try? object.strings("position")).flatMap {
            LogPosition(numbers: $0.compactMap { UInt32($0) })
        }
        stamp = (try? object.strings("stamp"))?.compactMap { Int($0) }
    }

    /// Replaces the file; a reader sees the old one or the new one.
    func write(to folder: String) throws {
        let json = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("chain", chain)
            writer.member("number", number)
            writer.member("baseAt", baseAt)
            if let position { writer.member("position", position.numbers.map { "\($0)" }) }
            if let stamp { writer.member("stamp", stamp.map { "\($0)" }) }
            writer.endObject()
        }
        let draft = folder + Self.name + ".new"
        try Files.remove(draft)
        _ = try Files.write(json, to: draft)
        try Files.move(draft, to: folder + Self.name)
    }
}
