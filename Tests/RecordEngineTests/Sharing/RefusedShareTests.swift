import RecordWire
import TestSupport
import Testing

/// What is left of a share that is refused: nothing of the request, in a batch that is not atomic too.
@Suite struct RefusedShareTests {
    @Test func `A share whose list may not change keeps everything as it was`() async throws {
        try await TestCloud.run { cloud in
            func share(
                _ operation: String, _ name: String, _ title: String, _ permission: String, _ people: [String]
            )
                -> JSONValue
            {
                let participants = people.map { address -> JSONValue in
                    ["userIdentity": ["lookupInfo": ["emailAddress": .string(address)]]]
                }
                let record: JSONValue = [
                    "recordType": "cloudkit.share", "recordName": .string(name),
                    "fields": ["cloudkit.title": ["value": .string(title)]],
                    "forRecord": ["recordName": "root"], "publicPermission": .string(permission),
                    "participants": .array(participants),
                ]
                return ["operationType": .string(operation), "record": record]
            }
            try await cloud.makeZones("Z")
            _ = try await cloud.modify(
                [TestCloud.operation("create", "root", fields: ["n": ["value": 1]])], zone: "Z")
            let refused = share("create", "t", "Open", "READ_ONLY", ["a@example.org"])
            #expect(try await cloud.modify([refused], zone: "Z", atomic: false).codes == ["BAD_REQUEST"])
            #expect(try await cloud.record("t", zone: "Z") == nil)
            let saved = share("create", "s", "Closed", "NONE", ["a@example.org"])
            #expect(try await cloud.modify([saved], zone: "Z").codes == [nil])
            let before = try await cloud.record("s", zone: "Z")
            let changed = share("forceUpdate", "s", "Open", "READ_ONLY", [])
            #expect(try await cloud.modify([changed], zone: "Z", atomic: false).codes == ["BAD_REQUEST"])
            #expect(try await cloud.record("s", zone: "Z") == before)
        }
    }
}
