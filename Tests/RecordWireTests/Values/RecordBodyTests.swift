import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct RecordBodyTests {
    static let fields: [(name: String, value: FieldValue)] = [
        ("text", .string("a \"quoted\" é😀\n")), ("int", .int64(.max)), ("double", .double(-0.5)),
        ("whole", .double(3)), ("small", .double(-0x1p63)), ("time", .timestamp(-1)),
        ("bytes", .bytes([0, 255])), ("link", .reference(Reference(recordName: "r", action: .deleteSelf))),
        ("place", .location(Location(latitude: -90, longitude: 180))),
        ("ints", .list([.int64(1), .int64(.min)], of: .int64)), ("none", .list([], of: .string)),
        ("unknown", .list([], of: nil)), ("doubles", .list([.double(1), .double(0.1)], of: .double)),
    ]

    static func body(_ fields: [(name: String, value: FieldValue)] = fields, parent: String? = "p") -> [UInt8]
    {
        RecordBody.make(
            RecordBody.Parts(
                recordName: "n", recordType: "T", changeTag: "1e", fields: fields,
                created: RecordStamp(timestamp: 1, userRecordName: "_a"),
                modified: RecordStamp(timestamp: 2, userRecordName: "_b"), parent: parent))
    }

    func written(_ body: [UInt8], _ selection: RecordBody.Selection) throws -> JSONValue {
        var writer = JSONWriter()
        try body.withUnsafeBytes { try RecordBody.write($0, selection, to: &writer) }
        return try JSONReader.read(writer.bytes)
    }

    @Test func `Fields are read back with their types`() throws {
        let again = try RecordBody.fields(of: Self.body())
        #expect(again.map(\.name) == Self.fields.map(\.name))
        #expect(again.map(\.value) == Self.fields.map(\.value))
        #expect(try RecordBody.parent(of: Self.body()) == "p")
        #expect(try RecordBody.parent(of: Self.body(parent: nil)) == nil)
    }

    @Test func `A plain answer is the body and what is put behind it`() throws {
        let suffix = Array(#","zoneID":{"zoneName":"Z"}"#.utf8)
        let json = try written(Self.body(), RecordBody.Selection(suffix: suffix))
        #expect(json["zoneID"]["zoneName"] == "Z")
        #expect(json["recordName"] == "n")
        #expect(json["recordChangeTag"] == "1e")
        #expect(json["deleted"] == false)
        #expect(json["pluginFields"].object?.members.isEmpty == true)
        #expect(json["created"]["userRecordName"] == "_a")
        #expect(json["modified"]["timestamp"] == 2)
        #expect(json["parent"]["recordName"] == "p")
        #expect(json["fields"]["int"] == ["value": .int(.max), "type": "INT64"])
        #expect(json["fields"]["unknown"]["type"] == "UNKNOWN_LIST")
    }

    @Test(
        arguments: [([], []), (["int"], ["int"]), (["ints", "missing", "text"], ["text", "ints"])]
            as [([String], [String])])
    func `Only the wanted fields are answered`(_ wanted: [String], _ answered: [String]) throws {
        let json = try written(Self.body(), RecordBody.Selection(desiredKeys: wanted))
        #expect(json["fields"].object?.members.map(\.key) == answered)
        #expect(json["recordChangeTag"] == "1e")
    }

    @Test func `Numbers are quoted where that is wished, and no others`() throws {
        let fields = try written(Self.body(), RecordBody.Selection(numbersAsStrings: true))["fields"]
        #expect(fields["int"]["value"] == "9223372036854775807")
        #expect(fields["double"]["value"] == "-0.5")
        #expect(fields["ints"]["value"] == ["1", "-9223372036854775808"])
        #expect(fields["doubles"]["value"][1] == "0.1")
        #expect(fields["time"]["value"] == -1)
        #expect(fields["place"]["value"]["latitude"].double == -90)
        for (name, value) in Self.fields {
            guard let object = fields[name].object else { continue }
            #expect(
                try FieldValue.decode(WireField(json: object), expected: nil, numbersAsStrings: true) == value
            )
        }
    }

    @Test func `A client reads the record that the server wrote`() throws {
        let json = try #require(try written(Self.body(), RecordBody.Selection(numbersAsStrings: true)).object)
        let record = try RecordDictionary(json: json)
        #expect(record.recordName == "n")
        #expect(record.parent?.recordName == "p")
        #expect(record.fields == Dictionary(uniqueKeysWithValues: Self.fields.map { ($0.name, $0.value) }))
    }
}
