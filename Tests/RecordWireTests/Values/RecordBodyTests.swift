import RecordModel
import TestSeeds
import TestSupport
import Testing

@testable import RecordWire

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

    @Test(arguments: Seed.some(40))
    func `What is copied of a body is what reading and writing it gives`(seed: Seed) throws {
        var random = seed.random
        var fields: [(name: String, value: FieldValue)] = []
        for index in 0..<random.int(0...12) {
            let digest = try #require(AssetDigest(bytes: (0..<32).map { _ in UInt8(random.int(0...255)) }))
            let file = FieldValue.asset(Asset(AssetContent(digest: digest, size: Int64(index))))
            let values: [FieldValue] = [
                .string(String(repeating: "é", count: random.int(0...40)) + "\\\"type\":\"ASSETID\"}],"),
                .string("\\"), .string(""),
                .int64(-7),
                .double(1.5), file, .list([file, file], of: .asset), .list([], of: .asset),
                .list([.string("]"), .string("\"")], of: .string),
                .reference(Reference(recordName: "a,\"b}", action: .deleteSelf)),
            ]
            let value = random.pick(values, else: file)
            fields.append(("f\(index)", value))
        }
        let body = Self.body(fields, parent: random.oneIn(2) ? "p\"" : nil)
        var wanted: [String]? = []
        for index in 0..<14 where random.oneIn(2) { wanted?.append("f\(index)") }
        if random.oneIn(3) { wanted = nil }
        var assetURL: (@Sendable (String) -> String?)?
        if random.oneIn(2) { assetURL = { checksum in "https://files/" + checksum } }
        let selection = RecordBody.Selection(
            desiredKeys: wanted, numbersAsStrings: random.oneIn(3), suffix: Array(",\"x\":1".utf8),
            assetURL: assetURL)
        try body.withUnsafeBytes { bytes in
            var scan = try #require(FieldScan(bytes))
            var count = 0
            while scan.next() != nil { count += 1 }
            #expect(scan.end != nil && count == fields.count)
        }
        // With a space in front the body is read, not copied.
        var read = JSONWriter()
        let spaced = Array("{ ".utf8) + body.dropFirst()
        try spaced.withUnsafeBytes { try RecordBody.write($0, selection, to: &read) }
        var copied = JSONWriter()
        try body.withUnsafeBytes { try RecordBody.write($0, selection, to: &copied) }
        #expect(
            try JSONReader.read(copied.bytes) == JSONReader.read(read.bytes),
            "\(String(decoding: copied.bytes, as: UTF8.self))")
    }

    @Test(arguments: Seed.some(20))
    func `A body that is cut or changed is copied, read or refused, and nothing else`(seed: Seed) throws {
        var random = seed.random
        var body = Self.body()
        for _ in 0..<400 {
            var damaged = body
            if random.oneIn(2) { damaged = Array(damaged.prefix(random.int(0...body.count))) }
            for _ in 0..<random.int(1...3) where !damaged.isEmpty {
                damaged[random.int(0...damaged.count - 1)] = UInt8(
                    random.pick(Array("\"\\{}[],:0x".utf8), else: 0))
            }
            var writer = JSONWriter()
            let selection = RecordBody.Selection(desiredKeys: ["int", "text"], assetURL: { $0 })
            damaged.withUnsafeBytes { bytes in
                do throws(JSONError) { try RecordBody.write(bytes, selection, to: &writer) } catch {
                    #expect(!"\(error)".isEmpty)
                }
            }
        }
        body.removeAll()
        #expect(throws: JSONError.self) {
            try body.withUnsafeBytes { bytes in
                var writer = JSONWriter()
                try RecordBody.write(bytes, RecordBody.Selection(desiredKeys: []), to: &writer)
            }
        }
    }
}
