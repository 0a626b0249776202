public import RecordModel

/// `zones/lookup`.
public struct ZonesLookupRequest: WireRequest, Hashable {
    /// The zones asked for.
    public var zones: [ZoneID]

    /// Asks for zones.
    public init(zones: [ZoneID]) { self.zones = zones }

    public init(json: JSONObject) throws(JSONError) {
        guard json["zones"] != nil else { throw .missing("zones") }
        zones = []
        for object in try json.objects("zones") {
            // The protocol wants bare dictionaries; wrapped ones are seen too.
            let wrapped = try object.object("zoneID")
            zones.append(try ZoneID(json: wrapped ?? object))
        }
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("zones")
        writer.beginArray()
        for zone in zones { zone.write(to: &writer) }
        writer.endArray()
        writer.endObject()
    }
}

/// `zones/modify`.
public struct ZonesModifyRequest: WireRequest, Hashable {
    /// What to do with one zone.
    public struct Operation: Hashable, Sendable {
        /// Whether the zone is deleted; otherwise it is created.
        public var isDelete: Bool
        /// The zone.
        public var zoneID: ZoneID

        /// Makes an operation.
        public init(isDelete: Bool, zoneID: ZoneID) {
            self.isDelete = isDelete
            self.zoneID = zoneID
        }
    }

    /// What to do, in order.
    public var operations: [Operation]
    /// What names this request and all its repetitions, so that it takes effect once; our extension.
    public var idempotencyKey: String?

    /// Makes a request.
    public init(operations: [Operation]) { self.operations = operations }

    public init(json: JSONObject) throws(JSONError) {
        guard json["operations"] != nil else { throw .missing("operations") }
        operations = []
        for object in try json.objects("operations") {
            let word = try object.requiredString("operationType")
            guard word == "create" || word == "delete" else {
                throw .shape(
                    "'\(word.prefix(40))' is not an operation type for zones; 'create' and 'delete' are.")
            }
            guard let zone = try object.object("zone"), let zoneID = try zone.object("zoneID") else {
                throw .missing("zone.zoneID")
            }
            operations.append(Operation(isDelete: word == "delete", zoneID: try ZoneID(json: zoneID)))
        }
        idempotencyKey = try json.string("idempotencyKey")
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("idempotencyKey", idempotencyKey)
        writer.key("operations")
        writer.beginArray()
        for operation in operations {
            writer.beginObject()
            writer.member("operationType", operation.isDelete ? "delete" : "create")
            writer.key("zone")
            writer.beginObject()
            writer.member("zoneID", operation.zoneID)
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
