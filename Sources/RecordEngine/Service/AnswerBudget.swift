import RecordModel
import RecordWire

/// How much of an answer may still be written (`Limits/answerBytes`).
///
/// The first record is always written, however long it is, so that a client that goes on from page to page gets
/// through. After the first that has no room none is, so that records keep their order.
struct AnswerBudget {
    /// Whether something was left out.
    private(set) var isSpent = false
    private var isBegun = false
    /// What is kept for the members after the records; a marker with long sort keys may take more.
    private static let tailBytes = 1_024
    /// The bytes that are written elsewhere and count as well.
    private var other = 0

    /// Writes one record, unless it has no room: then nothing of it stays in the text.
    ///
    /// - Returns: whether it was written.
    mutating func write(
        to writer: inout JSONWriter, _ record: (inout JSONWriter) throws -> Void
    ) rethrows -> Bool {
        if isSpent { return false }
        let mark = writer.mark
        try record(&writer)
        guard isBegun, writer.bytes.count + other > Limits.answerBytes - Self.tailBytes else {
            isBegun = true
            return true
        }
        writer.rewind(to: mark)
        isSpent = true
        return false
    }

    /// Writes one record into a text of its own.
    ///
    /// - Returns: nil where it has no room.
    mutating func text(
        reserving capacity: Int, _ record: (inout JSONWriter) throws -> Void
    ) rethrows -> [UInt8]? {
        var writer = JSONWriter(reserving: capacity)
        guard try write(to: &writer, record) else { return nil }
        other += writer.bytes.count + 1
        return writer.bytes
    }

    /// Tells why the answer ends where it does, by the name of the limit; our extension, which clients pass over.
    func writeReason(to writer: inout JSONWriter) {
        if isSpent { writer.member("limitedBy", "answerBytes") }
    }
}
