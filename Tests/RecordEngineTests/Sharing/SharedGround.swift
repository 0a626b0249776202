import RecordModel
import RecordWire
import TestSupport

/// What tests of sharing do again and again: alice owns, others take part.
extension TestCloud {
    /// The zone of somebody's database, as the shared database names it.
    static func zone(_ name: String, of owner: Sender = .alice) -> JSONValue {
        ["zoneName": .string(name), "ownerRecordName": .string(owner.userName)]
    }

    /// Shares a record, or a zone where no root is named, and gives the link.
    @discardableResult
    func share(
        _ root: String?, named name: String = "share", zone: String = "Z", with people: [Sender],
        permission: String = "READ_WRITE", publicly: String = "NONE"
    ) async throws -> String {
        let participants = people.map { person -> JSONValue in
            [
                "participantId": .string(person.rawValue), "type": "USER",
                "permission": .string(permission),
                "userIdentity": ["userRecordName": .string(person.userName)],
            ]
        }
        var record: JSONValue = [
            "recordType": "cloudkit.share", "fields": [:], "publicPermission": .string(publicly),
            "recordName": .string(root == nil ? "cloudkit.zoneshare" : name),
            "participants": .array(participants), "createShortGUID": true,
        ]
        if let root { record = record.with("forRecord", ["recordName": .string(root)]) }
        let answer = try await modify(
            [["operationType": "forceUpdate", "record": record]], zone: zone)
        guard answer.codes == [nil], let link = answer.records.first?["shortGUID"].string else {
            throw TestFailure("It could not be shared: \(answer.json.text)")
        }
        return link
    }

    /// Accepts what a link leads to.
    func accept(_ link: String, as sender: Sender) async throws {
        let answer = try await send(
            .recordsAccept, ["shortGUIDs": [["value": .string(link)]]], as: sender, in: .public)
        guard answer.json["results"][0]["serverErrorCode"] == .null else {
            throw TestFailure("It could not be accepted: \(answer.json.text)")
        }
    }

    /// Makes a zone with a list that has one item, and shares it with people, who accept.
    @discardableResult
    func shareList(
        with people: Sender..., zone: String = "Z", permission: String = "READ_WRITE"
    ) async throws -> String {
        try await makeZones(zone)
        try await save("list", ["n": ["value": 1]], zone: zone)
        try await modify(
            [Self.operation("create", "item", fields: ["n": ["value": 1]], parent: "list")], zone: zone)
        let link = try await share("list", zone: zone, with: people, permission: permission)
        for person in people { try await accept(link, as: person) }
        return link
    }

    /// Sends operations to a zone of alice's, as somebody to whom it is shared.
    @discardableResult
    func modifyShared(
        _ operations: [JSONValue], zone: String = "Z", as sender: Sender = .bob
    ) async throws -> Answer {
        try await send(
            .recordsModify, ["operations": .array(operations), "zoneID": Self.zone(zone)], as: sender,
            in: .shared)
    }

    /// Puts somebody out of a share.
    func dismiss(_ people: [Sender] = [], share: String = "share", zone: String = "Z") async throws {
        let participants = people.map { person -> JSONValue in
            ["participantId": .string(person.rawValue), "type": "USER"]
        }
        let answer = try await modify(
            [
                [
                    "operationType": "forceUpdate",
                    "record": [
                        "recordType": "cloudkit.share", "recordName": .string(share),
                        "participants": .array(participants),
                    ],
                ]
            ], zone: zone)
        guard answer.codes == [nil] else { throw TestFailure("Not put out: \(answer.json.text)") }
    }
}
