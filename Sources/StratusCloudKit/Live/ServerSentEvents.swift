/// Takes the bytes of Server-Sent Events apart (HTML Living Standard, 9.2.6).
struct ServerSentEvents: Sendable {
    /// One event.
    struct Event: Sendable, Equatable {
        var name = "message"
        var data = ""
    }

    /// The id of the last event, also of one without data.
    private(set) var lastID: String?
    private var line: [UInt8] = []
    private var event = Event()
    private var hasData = false

    /// The same on another connection: what came in part is thrown away.
    var resumed: ServerSentEvents {
        var events = ServerSentEvents()
        events.lastID = lastID
        return events
    }

    /// Takes bytes, and gives the events that they complete.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if let event = endLine() { events.append(event) }
            line = []
        }
        return events
    }

    private mutating func endLine() -> Event? {
        guard !line.isEmpty else {
            defer {
                event = Event()
                hasData = false
            }
            return hasData ? event : nil
        }
        let text = String(decoding: line, as: UTF8.self)
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts.count > 1 ? parts[1] : ""
        if value.first == " " { value = value.dropFirst() }
        switch parts[0] {
        case "event": event.name = String(value)
        case "id": lastID = String(value)
        case "data":
            event.data += (hasData ? "\n" : "") + value
            hasData = true
        default: break
        }
        return nil
    }
}
