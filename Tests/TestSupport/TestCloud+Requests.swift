public import RecordModel
public import RecordWire

/// Bodies that many tests send.
extension TestCloud {
    /// One operation of `records/modify`; fields are given as `["n": ["value": 1]]`.
    public static func operation(
        _ type: String, _ name: String?, type recordType: String? = "Note", tag: String? = nil,
        fields: JSONValue? = nil, parent: String? = nil
    ) -> JSONValue {
        var record: JSONValue = [:]
        if let name { record = record.with("recordName", .string(name)) }
        if let recordType { record = record.with("recordType", .string(recordType)) }
        if let tag { record = record.with("recordChangeTag", .string(tag)) }
        if let fields { record = record.with("fields", fields) }
        if let parent { record = record.with("parent", ["recordName": .string(parent)]) }
        return ["operationType": .string(type), "record": record]
    }

    /// Sends operations to a zone; nil is the default zone.
    @discardableResult
    public func modify(
        _ operations: [JSONValue], zone: String? = nil, atomic: Bool? = nil, as sender: Sender = .alice,
        in scope: DatabaseScope = .private
    ) async throws -> Answer {
        var body: JSONValue = ["operations": .array(operations)]
        if let zone { body = body.with("zoneID", ["zoneName": .string(zone)]) }
        if let atomic { body = body.with("atomic", .bool(atomic)) }
        return try await send(.recordsModify, body, as: sender, in: scope)
    }

    /// Makes zones.
    public func makeZones(_ names: String..., as sender: Sender = .alice) async throws {
        let operations = names.map { name -> JSONValue in
            ["operationType": "create", "zone": ["zoneID": ["zoneName": .string(name)]]]
        }
        let answer = try await send(.zonesModify, ["operations": .array(operations)], as: sender)
        guard answer.status == 200, answer.zones.allSatisfy({ $0["serverErrorCode"] == .null }) else {
            throw TestFailure("The zones could not be made: \(answer.json.text)")
        }
    }

    /// Looks one record up; nil where it is not there.
    public func record(
        _ name: String, zone: String? = nil, as sender: Sender = .alice, in scope: DatabaseScope = .private
    ) async throws -> JSONValue? {
        var body: JSONValue = ["records": [["recordName": .string(name)]]]
        if let zone { body = body.with("zoneID", ["zoneName": .string(zone)]) }
        let answer = try await send(.recordsLookup, body, as: sender, in: scope)
        return answer.codes == [nil] ? answer.records.first : nil
    }

    /// Saves a record that has to be taken, and gives its change tag.
    @discardableResult
    public func save(
        _ name: String, _ fields: JSONValue, type: String = "Note", zone: String? = nil,
        as sender: Sender = .alice, in scope: DatabaseScope = .private
    ) async throws -> String {
        let answer = try await modify(
            [Self.operation("forceUpdate", name, type: type, fields: fields)], zone: zone, as: sender,
            in: scope)
        guard answer.codes == [nil], let tag = answer.records.first?["recordChangeTag"].string else {
            throw TestFailure("The record could not be saved: \(answer.json.text)")
        }
        return tag
    }

    /// Asks a query.
    public func query(
        _ query: JSONValue, zone: String? = nil, limit: Int? = nil, marker: String? = nil,
        as sender: Sender = .alice, in scope: DatabaseScope = .private
    ) async throws -> Answer {
        var body: JSONValue = ["query": query]
        if let zone { body = body.with("zoneID", ["zoneName": .string(zone)]) }
        if let limit { body = body.with("resultsLimit", .int(Int64(limit))) }
        if let marker { body = body.with("continuationMarker", .string(marker)) }
        return try await send(.recordsQuery, body, as: sender, in: scope)
    }
}
