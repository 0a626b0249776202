import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Record names of any letters, told apart by their scalars, in every store.
@Suite struct RecordNameTests {
    /// Swift takes the first two for the same, and so the last two.
    private static let names = ["\u{E9}", "e\u{301}", "\u{212B}", "A\u{30A}"]

    @Test(arguments: StoreEngine.allCases)
    func `Names that mean the same are records of their own`(_ engine: StoreEngine) async throws {
        try await TestCloud.run(engine: engine) { cloud in
            try await cloud.makeZones("Zone")
            let saves = Self.names.enumerated().map { number, name in
                TestCloud.operation("create", name, fields: ["n": ["value": .int(Int64(number))]])
            }
            let saved = try await cloud.modify(saves, zone: "Zone")
            #expect(saved.codes == [nil, nil, nil, nil])
            for (number, name) in Self.names.enumerated() {
                let record = try await cloud.record(name, zone: "Zone")
                #expect(record?["fields"]["n"]["value"] == .int(Int64(number)))
                #expect(record?["recordName"].string?.isExactly(name) == true)
            }
            // A reference, a deletion and a filter mean one of them.
            let holder = ReferenceTests.holder("holder", Self.names[0], "VALIDATE")
            #expect(try await cloud.modify([holder], zone: "Zone").codes == [nil])
            let deletes = Self.names.map { TestCloud.operation("forceDelete", $0) }
            let answer = try await cloud.modify(deletes, zone: "Zone", atomic: false)
            #expect(answer.codes == ["VALIDATING_REFERENCE_ERROR", nil, nil, nil])
            let feed = try await cloud.changes(zone: "Zone").records.compactMap { $0["recordName"].string }
            #expect(feed.map { Array($0.utf8) } == [Self.names[0], "holder"].map { Array($0.utf8) })
            let filter: JSONValue = [
                "systemFieldName": "recordName", "comparator": "EQUALS",
                "fieldValue": ["value": ["recordName": .string(Self.names[1])], "type": "REFERENCE"],
            ]
            let found = try await cloud.query(["recordType": "Note", "filterBy": [filter]], zone: "Zone")
            #expect(found.code == nil && found.records.isEmpty)
        }
    }
}
