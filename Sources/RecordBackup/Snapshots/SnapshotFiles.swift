import Foundation
import RecordWire

/// How a command asks the server of a data directory for a copy of its database: by files in that directory, to which
/// nobody else has access.
///
/// The command holds the lock of the request as long as it waits, so a server knows whether anybody does.
struct SnapshotFiles {
    /// What the command wants.
    struct Request: Equatable {
        var id: String
        /// The file to write.
        var path: String
    }

    /// What the server says.
    struct Answer: Equatable {
        enum State: String {
            case copying, done, failed
        }

        var id: String
        var state: State
        var done = 0
        var total = 0
        /// Where the copy is: the file that was asked for, or one in the data directory where the server may not write that.
        var path = ""
        var reason = ""
    }

    let directory: String

    var request: String { directory + "/stratus.copy" }
    private var answer: String { directory + "/stratus.copy-answer" }
    /// The copy in the data directory itself.
    var copy: String { directory + "/stratus.copy-sqlite" }

    func readRequest() -> Request? {
        guard let object = object(at: request), let id = try? object.string("id"),
            let path = try? object.string("path")
        else { return nil }
        return Request(id: id, path: path)
    }

    static func bytes(_ request: Request) -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("id", request.id)
            writer.member("path", request.path)
            writer.endObject()
        }
    }

    func readAnswer() -> Answer? {
        guard let object = object(at: answer), let id = try? object.string("id"),
            let state = (try? object.string("state")).flatMap(Answer.State.init)
        else { return nil }
        var found = Answer(id: id, state: state)
        found.done = (try? object.int("done")) ?? 0
        found.total = (try? object.int("total")) ?? 0
        found.path = (try? object.string("path")) ?? ""
        found.reason = (try? object.string("reason")) ?? ""
        return found
    }

    /// Replaces the answer; a reader sees the old one or the new one.
    func write(_ value: Answer) throws {
        let json = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("id", value.id)
            writer.member("state", value.state.rawValue)
            writer.member("done", value.done)
            writer.member("total", value.total)
            writer.member("path", value.path)
            writer.member("reason", value.reason)
            writer.endObject()
        }
        let draft = answer + ".new"
        try Files.remove(draft)
        _ = try Files.write(json, to: draft)
        try Files.move(draft, to: answer)
    }

    /// Removes everything that belongs to an exchange that is over.
    func clear() throws {
        for path in [answer, answer + ".new", copy] { try Files.remove(path) }
    }

    private func object(at path: String) -> JSONObject? {
        guard let data = FileManager.default.contents(atPath: path), !data.isEmpty, data.count < 100_000
        else {
            return nil
        }
        return (try? JSONReader.read(data))?.object
    }
}
