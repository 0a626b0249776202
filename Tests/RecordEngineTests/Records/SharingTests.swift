import RecordModel
import RecordWire
import TestSupport
import Testing

/// What asks for sharing, which is not served yet, is refused with a sentence and never done half.
@Suite struct SharingTests {
    private func share(_ operation: String = "create", _ name: String = "s") -> JSONValue {
        TestCloud.operation(operation, name, type: "cloudkit.share")
    }

    /// A record that is to have the address of a share.
    private func root(_ wish: JSONValue = true, operation: String = "create") -> JSONValue {
        .object(
            JSONObject([
                ("operationType", .string(operation)),
                (
                    "record",
                    [
                        "recordName": "root", "recordType": "Note", "fields": ["n": ["value": 1]],
                        "createShortGUID": wish,
                    ]
                ),
            ]))
    }

    @Test(arguments: ["create", "forceUpdate", "forceReplace"])
    func aShareIsRefusedWithASentence(operation: String) async throws {
        try await TestCloud.run { cloud in
            let answer = try await cloud.modify([share(operation), TestCloud.operation("create", "a")])
            #expect(answer.codes == ["BAD_REQUEST", nil])
            let reason = answer.records[0]["reason"].string ?? ""
            #expect(reason.contains("sharing is not served") && reason.contains("cloudkit.share"))
            #expect(cloud.schema.types["cloudkit.share"] == nil)
        }
    }

    @Test func aRecordThatIsToBeSharedIsRefusedInsteadOfSavedUnshared() async throws {
        try await TestCloud.run { cloud in
            let answer = try await cloud.modify([root()])
            #expect(answer.codes == ["BAD_REQUEST"])
            #expect(answer.records[0]["reason"].string?.contains("createShortGUID") == true)
            #expect(try await cloud.record("root") == nil)
            #expect(try await cloud.modify([root(false)]).codes == [nil])
            #expect(try await cloud.modify([root(operation: "forceUpdate")]).codes == ["BAD_REQUEST"])
            #expect(try await cloud.modify([root(operation: "forceDelete")]).codes == [nil])
        }
    }

    @Test func anAtomicBatchWithAShareSavesNothing() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Z")
            let answer = try await cloud.modify([TestCloud.operation("create", "a"), share()], zone: "Z")
            #expect(answer.codes == ["ATOMIC_ERROR", "BAD_REQUEST"])
        }
    }

    @Test func queriesAndSubscriptionsForSharesSayTheSame() async throws {
        try await TestCloud.run { cloud in
            let query: JSONValue = ["recordType": "cloudkit.share"]
            let found = try await cloud.send(.recordsQuery, ["query": query])
            #expect(
                found.code == "BAD_REQUEST" && found.json["reason"].string?.contains("not served") == true)
            let counted = try await cloud.send(.recordsCount, ["query": query])
            #expect(counted.code == "BAD_REQUEST")
            let saved = try await cloud.send(
                .subscriptionsModify,
                [
                    "operations": [
                        [
                            "operationType": "create",
                            "subscription": [
                                "subscriptionType": "query", "subscriptionID": "s", "query": query,
                                "firesOn": ["create"],
                            ],
                        ]
                    ]
                ])
            let item = saved.json["subscriptions"].array?.first
            #expect(item?["reason"].string?.contains("not served") == true, "\(saved.json)")
        }
    }
}
