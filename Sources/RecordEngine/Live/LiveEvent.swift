/// One event of a live query or of a live count.
public struct LiveEvent: Sendable {
    /// What it tells.
    public enum Name: String, Sendable {
        /// The records that fulfil the query now: whatever the client had is replaced by them.
        case page
        /// A record fulfils the query from now on.
        case enter
        /// A record that fulfils it is another one, perhaps in another place.
        case change
        /// A record does not fulfil it any more.
        case leave
        /// How many records fulfil the query from now on; of a live count, which has no other news.
        case count
        /// The client was too slow; it goes on from its last id with another request.
        case behind
        /// The query cannot be answered any more: an error dictionary says why.
        case error
        /// Nothing happened; the id alone counts.
        case beat
    }

    /// What it tells.
    public let name: Name
    /// With what the client goes on (`Last-Event-ID`): the position in the change log, and what the query is known by.
    public let id: String
    /// A JSON object; empty for a beat.
    public let json: [UInt8]
    /// The event in the form of Server-Sent Events (HTML Living Standard, 9.2).
    public let text: [UInt8]

    init(name: Name, id: String, json: [UInt8]) {
        self.name = name
        self.id = id
        self.json = json
        guard name != .beat else {
            text = Array(": still here\nid: \(id)\n\n".utf8)
            return
        }
        // JSON as the service writes it has no line breaks.
        text = Array("event: \(name.rawValue)\nid: \(id)\ndata: ".utf8) + json + Array("\n\n".utf8)
    }
}
