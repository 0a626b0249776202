public import RecordModel

extension ZoneID {
    /// Reads a zone dictionary with either spelling of the owner (Documentation/Protocol.md, 'Names').
    ///
    /// - Throws: ``JSONError`` where a member is missing or of another kind.
    public init(json: JSONObject) throws(JSONError) {
        let spelling = json["ownerRecordName"] == nil ? "ownerName" : "ownerRecordName"
        self.init(
            zoneName: try json.string("zoneName") ?? ZoneID.defaultName,
            ownerName: try json.string(spelling))
    }

    /// Writes a zone dictionary.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("zoneName", zoneName)
        writer.member("ownerRecordName", ownerName)
        writer.endObject()
    }

    var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [("zoneName", .string(zoneName))]
        if let ownerName { members.append(("ownerRecordName", .string(ownerName))) }
        return .object(JSONObject(members))
    }
}

extension Reference {
    init(json: JSONObject) throws(JSONError) {
        let action: Action
        switch try json.string("action") {
        case nil, "NONE": action = .none
        case "DELETE_SELF": action = .deleteSelf
        case "VALIDATE": action = .validate
        case .some(let text): throw .shape("'\(text.prefix(40))' is not a reference action.")
        }
        var zoneID: ZoneID?
        if let zone = try json.object("zoneID") { zoneID = try ZoneID(json: zone) }
        let name = try json.requiredString("recordName")
        guard Names.isRecordName(name) else {
            throw .shape("'\(String(name.unicodeScalars.prefix(64)))' is not the name of a record.")
        }
        self.init(recordName: name, zoneID: zoneID, action: action)
    }

    var actionName: String {
        switch action {
        case .none: "NONE"
        case .deleteSelf: "DELETE_SELF"
        case .validate: "VALIDATE"
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("recordName", recordName)
        writer.member("action", actionName)
        if let zoneID {
            writer.key("zoneID")
            zoneID.write(to: &writer)
        }
        writer.endObject()
    }

    var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("recordName", .string(recordName)), ("action", .string(actionName)),
        ]
        if let zoneID { members.append(("zoneID", zoneID.json)) }
        return .object(JSONObject(members))
    }
}

extension Asset {
    /// Reads an asset dictionary.
    ///
    /// - Throws: ``JSONError`` where a member is missing or of another kind.
    public init(json: JSONObject) throws(JSONError) {
        self.init(
            fileChecksum: try json.requiredString("fileChecksum"),
            size: Int64(try json.int("size") ?? 0),
            referenceChecksum: try json.string("referenceChecksum"),
            wrappingKey: try json.string("wrappingKey"),
            receipt: try json.string("receipt"),
            downloadURL: try json.string("downloadURL"))
    }

    /// Writes an asset dictionary.
    public func write(to writer: inout JSONWriter) {
        writer.value(json)
    }

    var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("fileChecksum", .string(fileChecksum)), ("size", .int(size)),
        ]
        if let referenceChecksum { members.append(("referenceChecksum", .string(referenceChecksum))) }
        if let wrappingKey { members.append(("wrappingKey", .string(wrappingKey))) }
        if let receipt { members.append(("receipt", .string(receipt))) }
        if let downloadURL { members.append(("downloadURL", .string(downloadURL))) }
        return .object(JSONObject(members))
    }
}

extension Location {
    init(json: JSONObject) throws(JSONError) {
        guard let latitude = try json.double("latitude"), let longitude = try json.double("longitude") else {
            throw .shape("A location needs 'latitude' and 'longitude'.")
        }
        self.init(latitude: latitude, longitude: longitude)
        guard isValid else { throw .shape("The location's degrees are out of range.") }
        horizontalAccuracy = try json.double("horizontalAccuracy")
        verticalAccuracy = try json.double("verticalAccuracy")
        altitude = try json.double("altitude")
        speed = try json.double("speed")
        course = try json.double("course")
        timestamp = try json.int("timestamp").map(Int64.init)
    }

    func write(to writer: inout JSONWriter) {
        writer.value(json)
    }

    var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("latitude", .double(latitude)), ("longitude", .double(longitude)),
        ]
        let extras: [(String, Double?)] = [
            ("horizontalAccuracy", horizontalAccuracy), ("verticalAccuracy", verticalAccuracy),
            ("altitude", altitude), ("speed", speed), ("course", course),
        ]
        for case (let name, let value?) in extras { members.append((name, .double(value))) }
        if let timestamp { members.append(("timestamp", .int(timestamp))) }
        return .object(JSONObject(members))
    }
}
