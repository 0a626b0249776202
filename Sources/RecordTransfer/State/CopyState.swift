import RecordWire

/// How far a copy got: what has to be asked next, so that a copy that was interrupted, or that came to its end a week ago,
/// goes on from there.
///
/// All that is before these places was stored when they were noted. What comes twice changes nothing, so the places may be
/// older than what is stored.
public struct CopyState: Sendable, Equatable {
    /// Where the queries for a type in a default zone are.
    struct QueryPlace: Sendable, Equatable {
        /// The time of this machine, in milliseconds, before which all changes are here; nil before the first end.
        var since: Int64?
        /// When the pass under way began; nil where none is.
        var startedAt: Int64?
        /// From when on the pass under way asks for changes; nil where it asks for everything.
        var filter: Int64?
        /// Where its next page begins; nil for the first one.
        var marker: String?
    }

    /// Where a zone's feed is.
    struct ZonePlace: Sendable, Equatable {
        /// The token for the next changes; nil from the beginning.
        var token: String?
        /// Whether the feed's end was reached since the zone was last seen to have changed.
        var isDone = false
    }

    private static let version: Int64 = 1

    /// What is copied whereto; another copy must not go on from here.
    public var target: String
    /// By database and type.
    var queries: [String: QueryPlace] = [:]
    /// By zone.
    var zones: [String: ZonePlace] = [:]
    /// From where on zones are asked that changed.
    var databaseToken: String?

    /// Starts at the beginning.
    public init(target: String) { self.target = target }

    /// Whether nothing was done yet.
    public var isEmpty: Bool { queries.isEmpty && zones.isEmpty && databaseToken == nil }

    /// Whether all that was asked for came to its end once.
    public var isComplete: Bool {
        !isEmpty && queries.values.allSatisfy { $0.since != nil } && zones.values.allSatisfy(\.isDone)
    }

    /// The state's JSON.
    public var json: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("version", Self.version)
            writer.member("target", target)
            writer.member("databaseToken", databaseToken)
            writer.key("queries")
            writer.beginObject()
            for (name, place) in queries.sorted(by: { $0.key < $1.key }) {
                writer.key(text: name)
                writer.beginObject()
                writer.member("since", place.since)
                writer.member("startedAt", place.startedAt)
                writer.member("filter", place.filter)
                writer.member("marker", place.marker)
                writer.endObject()
            }
            writer.endObject()
            writer.key("zones")
            writer.beginObject()
            for (name, place) in zones.sorted(by: { $0.key < $1.key }) {
                writer.key(text: name)
                writer.beginObject()
                writer.member("token", place.token)
                writer.member("isDone", place.isDone)
                writer.endObject()
            }
            writer.endObject()
            writer.endObject()
        }
    }

    /// Reads a state; nil for anything else.
    public init?(json: [UInt8]) {
        guard let object = try? JSONReader.read(json).object, object["version"]?.int == Self.version,
            let target = object["target"]?.string
        else { return nil }
        self.target = target
        databaseToken = object["databaseToken"]?.string
        for (name, value) in object["queries"]?.object?.members ?? [] {
            guard let place = value.object else { return nil }
            queries[name] = QueryPlace(
                since: place["since"]?.int, startedAt: place["startedAt"]?.int, filter: place["filter"]?.int,
                marker: place["marker"]?.string)
        }
        for (name, value) in object["zones"]?.object?.members ?? [] {
            guard let place = value.object else { return nil }
            zones[name] = ZonePlace(token: place["token"]?.string, isDone: place["isDone"]?.bool ?? false)
        }
    }
}
