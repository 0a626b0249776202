import Foundation
import NIOCore

/// One event of a `text/event-stream`.
struct ServerSentEvent: Sendable, Equatable {
    var id: Int
    var name: String
    /// One line of text.
    var data: String

    /// An event whose data is a value as JSON.
    init(id: Int, name: String, _ value: some Encodable) throws {
        self.id = id
        self.name = name
        // JSON of this encoder has no line breaks: those inside texts are escaped.
        data = String(decoding: try JSONEncoder.plain.encode(value), as: UTF8.self)
    }

    /// The bytes on the wire.
    var bytes: ByteBuffer { ByteBuffer(string: "id: \(id)\nevent: \(name)\ndata: \(data)\n\n") }
}

extension JSONEncoder {
    /// JSON that is the same for the same value.
    static var plain: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
