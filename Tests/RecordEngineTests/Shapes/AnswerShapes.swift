/// The forms of the protocol's answers, key by key: those of Apple's web services as their reference and answers that
/// clients recorded have them. Keys that only we send are listed as extensions.
enum AnswerShapes {
    static let zoneID = Shape.object(
        ["zoneName": .string, "ownerRecordName": .string, "zoneType": .string])
    static let customZoneID = Shape.object(
        ["zoneName": .string, "ownerRecordName": .string, "zoneType": .exactly("REGULAR_CUSTOM_ZONE")])
    static let publicZoneID = Shape.object(["zoneName": .string, "zoneType": .exactly("DEFAULT_ZONE")])
    /// A zone as the request named it.
    static let namedZoneID = Shape.object(["zoneName": .string], optional: ["ownerRecordName": .string])

    static let stamp = Shape.object(["timestamp": .integer, "userRecordName": .string, "deviceID": .string])

    private static func field(_ type: String, _ value: Shape) -> Shape {
        .object(["value": value, "type": .exactly(type)])
    }
    static let reference = Shape.object(
        ["recordName": .string, "action": .string], optional: ["zoneID": namedZoneID])
    static let location = Shape.object(
        ["latitude": .number, "longitude": .number],
        optional: [
            "horizontalAccuracy": .number, "verticalAccuracy": .number, "altitude": .number, "speed": .number,
            "course": .number, "timestamp": .integer,
        ])
    static let asset = Shape.object(["fileChecksum": .base64, "size": .integer, "downloadURL": .string])
    static let anyField = Shape.either([
        field("STRING", .string), field("INT64", .integer), field("DOUBLE", .number),
        field("TIMESTAMP", .integer), field("BYTES", .base64), field("ENCRYPTED_BYTES", .base64),
        field("REFERENCE", reference), field("LOCATION", location), field("ASSETID", asset),
        field("STRING_LIST", .list(.string)), field("INT64_LIST", .list(.integer)),
        field("DOUBLE_LIST", .list(.number)), field("REFERENCE_LIST", .list(reference)),
        field("UNKNOWN_LIST", .list(.string)),
        .object(["value": .string, "type": .exactly("STRING"), "isEncrypted": .bool]),
    ])

    private static let recordKeys: [String: Shape] = [
        "recordName": .string, "recordType": .string, "fields": .dictionary(anyField), "pluginFields": .empty,
        "recordChangeTag": .string, "created": stamp, "modified": stamp, "deleted": .bool,
    ]
    static let publicRecord = Shape.object(recordKeys)
    static let record = Shape.object(
        recordKeys.merging(["zoneID": zoneID]) { $1 },
        optional: ["parent": .object(["recordName": .string])])
    static let tombstone = Shape.object(
        ["recordName": .string, "deleted": .bool, "zoneID": zoneID], extensions: ["deletedRecordType"])

    private static let errorKeys: [String: Shape] = [
        "uuid": .string, "serverErrorCode": .string, "reason": .string,
    ]
    static let error = Shape.object(errorKeys, extensions: ["remedy", "exceededLimit"])
    static let recordError = Shape.object(
        errorKeys.merging(["recordName": .string]) { $1 },
        extensions: ["remedy", "serverRecord", "exceededLimit"])
    static let zoneError = Shape.object(
        errorKeys.merging(["zoneID": namedZoneID]) { $1 }, extensions: ["remedy", "exceededLimit"])

    static let zone = Shape.object(
        ["zoneID": customZoneID, "syncToken": .base64, "atomic": .bool, "deleted": .bool])
    static let defaultZone = Shape.object(["zoneID": zoneID, "atomic": .bool, "deleted": .bool])

    static func records(_ element: Shape) -> Shape { .object(["records": .list(element)]) }
    static func zones(_ element: Shape) -> Shape { .object(["zones": .list(element)]) }
    static let page = Shape.object(["records": .list(record)], optional: ["continuationMarker": .base64])
    static let zoneFeed = Shape.object([
        "zoneID": customZoneID, "records": .list(.either([record, tombstone])), "syncToken": .base64,
        "moreComing": .bool,
    ])
    static let databaseFeed = Shape.object([
        "zones": .list(.object(["zoneID": customZoneID, "deleted": .bool])), "syncToken": .base64,
        "moreComing": .bool,
    ])
    static let metaFeed = Shape.object([
        "zones": .list(zone), "metaSyncToken": .base64, "moreComing": .bool,
    ])
    static let uploadTokens = Shape.object([
        "tokens": .list(.object(["recordName": .string, "fieldName": .string, "url": .string]))
    ])
    static let user = Shape.object(["userRecordName": .string])
}
