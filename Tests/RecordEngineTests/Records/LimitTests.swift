import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct LimitTests {
    @Test func `A record may have just so many bytes of data, whatever JSON makes of them`() async throws {
        try await TestCloud.run { cloud in
            let texts = ["x", "\u{1}", "\"", "\n", "é"].map { letter in
                let width = letter.utf8.count
                return { (count: Int) -> JSONValue in
                    let text = String(repeating: letter, count: count / width)
                    return .string(text + String(repeating: "x", count: count % width))
                }
            }
            let bytes = { (count: Int) -> JSONValue in
                .string(Base64.encode(Array(repeating: 7, count: count)))
            }
            let most = Limits.recordBytes
            for (kind, value) in (texts + [bytes]).enumerated() {
                let tag: JSONValue = kind == texts.count ? "BYTES" : "STRING"
                func save(_ count: Int) async throws -> TestCloud.Answer {
                    let field: JSONValue = ["value": value(count), "type": tag]
                    return try await cloud.modify([
                        TestCloud.operation(
                            "forceUpdate", kind == texts.count ? "b" : "t", type: "T",
                            fields: [kind == texts.count ? "b" : "t": field])
                    ])
                }
                #expect(try await save(most).codes == [nil], "\(kind)")
                let over = try await save(most + 1)
                #expect(over.codes == ["QUOTA_EXCEEDED"], "\(kind)")
                #expect(over.records.first?["exceededLimit"] == "recordBytes")
                #expect(over.records.first?["reason"].string?.contains("\(most + 1)") == true)
            }
        }
    }

    @Test func `Values that are small as data and long as JSON have a limit too`() async throws {
        try await TestCloud.run { cloud in
            let empty: JSONValue = .array(Array(repeating: ["recordName": "a"], count: Limits.listElements))
            var codes: [String?] = []
            // Each list takes some 300,000 bytes of JSON for 10,000 bytes of data.
            for start in stride(from: 0, to: 40, by: 10) {
                let lists = (start..<start + 10).map { (key: "l\($0)", value: ["value": empty] as JSONValue) }
                let answer = try await cloud.modify([
                    TestCloud.operation("forceUpdate", "r", fields: .object(JSONObject(lists)))
                ])
                codes += answer.codes
                guard answer.codes != [nil] else { continue }
                #expect(answer.records.first?["exceededLimit"] == "recordBodyBytes")
            }
            #expect(codes.first == .some(nil) && codes.last == "QUOTA_EXCEEDED")
        }
    }

    @Test(
        arguments: [
            (String(repeating: "n", count: 255), nil), (String(repeating: "n", count: 256), "BAD_REQUEST"),
            ("_a", "BAD_REQUEST"), ("", "BAD_REQUEST"), ("a b'\";--%", nil), ("Müller-Straße/🚲?#&%2F", nil),
            ("a\0b", "BAD_REQUEST"), ("a\nb", "BAD_REQUEST"), ("a\u{7F}", "BAD_REQUEST"),
            ("a\u{85}", "BAD_REQUEST"),
            (String(repeating: "é", count: 255), nil), (String(repeating: "é", count: 256), "BAD_REQUEST"),
            (String(repeating: "語", count: 255), nil), (String(repeating: "🚲", count: 127) + "x", nil),
            (String(repeating: "🚲", count: 128), "BAD_REQUEST"), ("\u{200D}\u{202E}\u{301}", nil),
        ] as [(String, String?)])
    func `Record names keep the rules`(_ name: String, _ code: String?) async throws {
        try await TestCloud.run { cloud in
            for operation in ["create", "forceUpdate", "forceDelete"] {
                let answer = try await cloud.modify([TestCloud.operation(operation, name)])
                #expect(answer.codes == [code], "\(operation)")
            }
            #expect(try await cloud.record(name) == nil)
        }
    }

    @Test(
        arguments: [
            ("T", nil), (String(repeating: "T", count: 255), nil),
            (String(repeating: "T", count: 256), "BAD_REQUEST"),
            ("", "BAD_REQUEST"), ("_T", "BAD_REQUEST"), ("1T", "BAD_REQUEST"), ("T T", "BAD_REQUEST"),
            ("T;DROP TABLE meta", "BAD_REQUEST"), ("Té", "BAD_REQUEST"), ("select", nil),
            ("sqlite_master", nil),
        ] as [(String, String?)])
    func `Type and field names keep the rules`(_ name: String, _ code: String?) async throws {
        try await TestCloud.run { cloud in
            let type = try await cloud.modify([
                TestCloud.operation("create", "a", type: name, fields: ["n": ["value": 1]])
            ])
            // A type that cannot be is missing everywhere, as the original says it.
            #expect(type.codes == [code == nil ? nil : "NOT_FOUND"])
            var fields: JSONValue = [:]
            fields = fields.with(name, ["value": 1])
            let field = try await cloud.modify([
                TestCloud.operation("create", "b", type: "Plain", fields: fields)
            ])
            #expect(field.codes == [code])
            #expect(cloud.schema.types[name] != nil || code != nil)
            // Canonically equal to 'K', but not the same.
            try await cloud.save("kelvin", ["K": ["value": 1]])
            let kelvin = try await cloud.modify(
                [TestCloud.operation("create", "other", fields: ["\u{212A}": ["value": 2]])])
            #expect(kelvin.codes == ["BAD_REQUEST"])
        }
    }

    @Test func `A type has so many fields and no more, of the widest kind too`() async throws {
        try await TestCloud.run { cloud in
            // A location has two columns, more than PostgreSQL has in a table: the next test is about that.
            let isWide = StoreEngine.chosen != .postgres
            func fields(_ range: Range<Int>) -> JSONValue {
                Self.fields(range) { isWide ? Self.location($0) : .int(Int64($0)) }
            }
            let most = Limits.fieldsPerType
            let answer = try await cloud.modify([
                TestCloud.operation("create", "a", type: "Wide", fields: fields(0..<most))
            ])
            #expect(answer.codes == [nil], "\(answer.json.text.prefix(300))")
            let update = try await cloud.modify([
                TestCloud.operation("forceUpdate", "a", type: "Wide", fields: ["p0": ["value": nil]])
            ])
            #expect(update.codes == [nil])
            let more = try await cloud.modify([
                TestCloud.operation("forceUpdate", "a", type: "Wide", fields: fields(most..<most + 1))
            ])
            #expect(more.codes == ["QUOTA_EXCEEDED"])
        }
    }

    private static func fields(_ range: Range<Int>, _ value: (Int) -> JSONValue) -> JSONValue {
        .object(JSONObject(range.map { (key: "p\($0)", value: ["value": value($0)]) }))
    }

    private static func location(_ number: Int) -> JSONValue {
        ["latitude": 1, "longitude": .int(Int64(number % 180))]
    }

    @Test func `What is too wide for a table of PostgreSQL is refused in words, and nothing of it stays`()
        async throws
    {
        try await TestCloud.run(engine: .postgres) { cloud in
            let most = Limits.fieldsPerType
            for (type, fields) in [
                // 1,600 columns in a table, and two of each location; some 8,000 bytes in a row.
                ("Wide", Self.fields(0..<most, Self.location)),
                ("Long", Self.fields(0..<most) { .string("some words \($0)") }),
            ] {
                let answer = try await cloud.modify([
                    TestCloud.operation("create", type, type: type, fields: fields)
                ])
                #expect(answer.code == "QUOTA_EXCEEDED", "\(answer.json.text.prefix(300))")
                #expect(cloud.schema.types[type] == nil)
                let fewer = try await cloud.modify([
                    TestCloud.operation(
                        "create", type, type: type, fields: Self.fields(0..<300, Self.location))
                ])
                #expect(fewer.codes == [nil], "\(fewer.json.text.prefix(300))")
            }
        }
    }

    @Test func `Lists, lookups, zones and filters keep their limits`() async throws {
        try await TestCloud.run { cloud in
            func many(_ count: Int, _ value: JSONValue) -> JSONValue {
                .array([JSONValue](repeating: value, count: count))
            }
            try await cloud.save("a", ["n": ["value": 1], "l": ["value": many(Limits.listElements, 1)]])
            let list = try await cloud.modify([
                TestCloud.operation(
                    "forceUpdate", "a", fields: ["l": ["value": many(Limits.listElements + 1, 1)]])
            ])
            #expect(list.codes == ["BAD_REQUEST"])
            let item: JSONValue = ["recordName": "a"]
            #expect(try await cloud.send(.recordsLookup, ["records": many(200, item)]).records.count == 200)
            #expect(try await cloud.send(.recordsLookup, ["records": many(201, item)]).code == "BAD_REQUEST")
            #expect(try await cloud.send(.zonesLookup, ["zones": many(200, [:])]).zones.count == 200)
            #expect(try await cloud.send(.zonesLookup, ["zones": many(201, [:])]).code == "BAD_REQUEST")
            let wish: JSONValue = ["zoneID": ["zoneName": "Z"]]
            #expect(try await cloud.send(.changesZone, ["zones": many(200, wish)]).zones.count == 200)
            #expect(try await cloud.send(.changesZone, ["zones": many(201, wish)]).code == "BAD_REQUEST")
            let operation: JSONValue = ["operationType": "delete", "zone": ["zoneID": ["zoneName": "Z"]]]
            #expect(
                try await cloud.send(.zonesModify, ["operations": many(201, operation)]).code == "BAD_REQUEST"
            )

            func filter(_ values: Int) -> JSONValue {
                [
                    "fieldName": "n", "comparator": "IN",
                    "fieldValue": ["value": many(values, 1), "type": "INT64_LIST"],
                ]
            }
            func ask(_ filters: JSONValue, sorts: JSONValue = []) async throws -> String? {
                let answer = try await cloud.query([
                    "recordType": "Note", "filterBy": filters, "sortBy": sorts,
                ])
                return answer.code
            }
            #expect(try await ask([filter(Limits.valuesPerFilter)]) == nil)
            #expect(try await ask([filter(Limits.valuesPerFilter + 1)]) == "BAD_REQUEST")
            #expect(try await ask(many(Limits.filtersPerQuery, filter(Limits.valuesPerFilter))) == nil)
            #expect(try await ask(many(Limits.filtersPerQuery + 1, filter(1))) == "BAD_REQUEST")
            #expect(try await ask([], sorts: many(Limits.sortsPerQuery, ["fieldName": "n"])) == nil)
            #expect(
                try await ask([], sorts: many(Limits.sortsPerQuery + 1, ["fieldName": "n"])) == "BAD_REQUEST")
        }
    }
}
