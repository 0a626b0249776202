import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// A receiver of notifications, as a client of the web courier is one.
struct Courier: Sendable {
    let cloud: TestCloud
    let token: String

    /// Makes one.
    static func make(_ cloud: TestCloud, as sender: TestCloud.Sender = .alice) async throws -> Courier {
        let answer = try await cloud.send(
            .tokensCreate, ["apnsEnvironment": "development", "clientId": "c"], as: sender, in: .public)
        let token = try #require(answer.json["apnsToken"].string)
        #expect(answer.json["webcourierURL"].string == "http://localhost/courier/\(token)")
        return Courier(cloud: cloud, token: token)
    }

    /// The next notification; nil where there is none.
    func next(after: String? = nil, seconds: Int = 0) async throws -> JSONValue? {
        guard
            let notification = try await cloud.service.nextNotification(
                ofReceiver: token, after: after, seconds: seconds)
        else { return nil }
        cloud.service.noteDelivered(notification)
        return try JSONReader.read(notification.json)
    }

    /// All that waits, each as `subscription:what:record`.
    func all() async throws -> [String] {
        var texts: [String] = []
        while let next = try await next() { texts.append(Self.text(next)) }
        return texts
    }

    static func text(_ payload: JSONValue) -> String {
        let cloud = payload["ck"]
        if cloud["startAgain"].bool == true { return "start again" }
        for kind in ["qry", "fet", "met"] where cloud[kind] != .null {
            let event = cloud[kind]
            let what = ["", ":created", ":updated", ":deleted"][Int(event["fo"].int ?? 0)]
            let name = event["rid"].string ?? event["zid"].string ?? "?"
            return "\(event["sid"].string ?? "?")\(what):\(name)"
        }
        return "?"
    }
}

extension TestCloud {
    /// Stores a subscription that has to be taken.
    @discardableResult
    func subscribe(
        _ subscription: JSONValue, as sender: Sender = .alice, in scope: DatabaseScope = .private
    ) async throws -> JSONValue {
        let answer = try await send(
            .subscriptionsModify,
            ["operations": [["operationType": "create", "subscription": subscription]]], as: sender,
            in: scope)
        let stored = answer.json["subscriptions"][0]
        guard stored["subscriptionType"] != .null else {
            throw TestFailure("The subscription was refused: \(answer.json.text)")
        }
        return stored
    }

    /// Deletes a subscription.
    func unsubscribe(_ name: String, in scope: DatabaseScope = .private) async throws -> Answer {
        try await send(
            .subscriptionsModify,
            [
                "operations": [
                    ["operationType": "delete", "subscription": ["subscriptionID": .string(name)]]
                ]
            ], in: scope)
    }

    /// A subscription to notes whose `n` is at least a number.
    static func notes(
        _ name: String, atLeast number: Int64 = 0, on triggers: [String] = ["create", "update", "delete"]
    ) -> JSONValue {
        [
            "subscriptionID": .string(name), "subscriptionType": "query",
            "firesOn": .array(triggers.map { .string($0) }),
            "query": [
                "recordType": "Note",
                "filterBy": [
                    [
                        "fieldName": "n", "comparator": "GREATER_THAN_OR_EQUALS",
                        "fieldValue": ["value": .int(number)],
                    ]
                ],
            ],
        ]
    }

    /// Deletes a record that may be there.
    func delete(_ name: String, zone: String? = nil, in scope: DatabaseScope = .private) async throws {
        try await modify([Self.operation("forceDelete", name, type: nil)], zone: zone, in: scope)
    }
}
