import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import RecordWire
import SchemaLanguage
import TestSupport
import Testing

/// What production asks of a schema: the fewest indexes by default, and CloudKit's with `--indexes apple`.
@Suite struct IndexRuleTests {
    private struct Case: Sendable {
        var query: JSONValue
        /// What is refused with CloudKit's rules, and in development and by default; nil where it is answered.
        var apple: String?
        var open: String?
    }

    private static func filter(
        _ comparator: String, _ field: String, _ value: JSONValue, key: String = "fieldName"
    ) -> JSONValue {
        [
            "recordType": "Note",
            "filterBy": [
                [
                    "comparator": .string(comparator), key: .string(field), "fieldValue": ["value": value],
                ]
            ],
        ]
    }

    private static func sort(_ field: String) -> JSONValue {
        filter("EQUALS", "q", 1).with("sortBy", [["fieldName": .string(field)]])
    }

    /// The fields: q is QUERYABLE, s SORTABLE, both has both, none has no index.
    private static let cases: [Case] = [
        Case(query: ["recordType": "Note"], apple: "Field 'recordName' is not marked queryable"),
        Case(query: filter("EQUALS", "recordName", "a"), apple: "Field 'recordName' is not marked queryable"),
        Case(
            query: filter("EQUALS", "___createdBy", "_a"),
            apple: "Field '___createdBy' is not marked queryable"),
        Case(
            query: filter("GREATER_THAN", "___modTime", 0),
            apple: "Field '___modTime' is not marked queryable"),
        Case(
            query: ["recordType": "Note", "predicate": "modificationDate > 0"],
            apple: "Field '___modTime' is not marked queryable"),
        Case(query: sort("___createTime"), apple: nil),
        Case(
            query: filter("EQUALS", "___createTime", 1),
            apple: "Field '___createTime' is not marked queryable"),
        Case(query: filter("LESS_THAN", "___createTime", 1), apple: nil),
        Case(query: sort("___modTime"), apple: "Field '___modTime' is not marked sortable"),
        Case(query: sort("parent"), apple: "Field '___parent' is not marked sortable"),
        Case(query: filter("EQUALS", "parent", "a"), apple: nil),
        Case(query: filter("EQUALS", "q", 1), apple: nil),
        Case(query: filter("LESS_THAN", "q", 1), apple: "Field 'q' is not marked sortable"),
        Case(
            query: ["recordType": "Note", "predicate": "q BETWEEN {1, 2}"],
            apple: "Field 'q' is not marked sortable"),
        Case(query: filter("LESS_THAN", "s", 1), apple: nil),
        Case(
            query: filter("EQUALS", "s", 1), apple: "Field 's' is not marked queryable",
            open: "Field 's' is not marked queryable"),
        Case(query: filter("LESS_THAN", "both", 1), apple: nil), Case(query: sort("both"), apple: nil),
        Case(
            query: sort("q"), apple: "Field 'q' is not marked sortable",
            open: "Field 'q' is not marked sortable"),
        Case(
            query: filter("LESS_THAN", "none", 1), apple: "Field 'none' is not marked queryable",
            open: "Field 'none' is not marked queryable"),
    ]

    private static func prepare(_ cloud: TestCloud) async throws {
        for environment in CloudEnvironment.allCases {
            let tenant = Tenant(container: cloud.container, environment: environment)
            try await cloud.store.write { store in
                var type = try store.makeType(named: "Note", tenant: tenant)
                let fields: [(String, FieldIndexes)] = [
                    ("q", .queryable), ("s", .sortable), ("both", [.queryable, .sortable]), ("none", []),
                ]
                for (name, indexes) in fields {
                    type = try store.addField(
                        named: name, type: FieldType(.int64), indexes: indexes, to: type, tenant: tenant)
                }
                _ = try store.setAnnotations(
                    systemIndexes: [.createTime: .sortable], grants: nil, of: type, tenant: tenant)
                _ = try store.makeType(named: "Bare", tenant: tenant)
            }
        }
    }

    @Test(arguments: IndexRules.allCases)
    func `Production refuses what the rules say`(_ rules: IndexRules) async throws {
        try await TestCloud.run(indexes: rules) { cloud in
            try await Self.prepare(cloud)
            for environment in CloudEnvironment.allCases {
                for one in Self.cases {
                    let expected = rules == .apple && environment == .production ? one.apple : one.open
                    let body: JSONValue = ["query": one.query]
                    let answer = try await cloud.send(.recordsQuery, body, environment: environment)
                    #expect(
                        answer.json["reason"].string == expected,
                        "\(environment) \(one.query.text): \(answer.json.text)")
                    #expect(answer.code == (expected == nil ? nil : "BAD_REQUEST"))
                    let count = try await cloud.send(.recordsCount, body, environment: environment)
                    #expect(count.json["reason"].string == expected)
                }
            }
            let bare = try await cloud.send(
                .recordsQuery, ["query": ["recordType": "Bare"]], environment: .production)
            #expect(
                bare.json["reason"].string == (rules == .apple ? "Type is not marked indexable: Bare" : nil))
        }
    }

    @Test func `A schema's text tells where CloudKit would refuse`() {
        let int = DeclaredType(FieldType(.int64))
        let time = DeclaredType(FieldType(.timestamp))
        var type = SchemaRecordType(
            name: "Note",
            fields: [
                SchemaField(name: "q", type: int, indexes: .queryable),
                SchemaField(name: "b", type: int, indexes: [.queryable, .sortable]),
                SchemaField(name: "___createTime", type: time, indexes: .sortable),
            ])
        #expect(
            IndexRefusals.sentences(of: type) == [
                "queries without a filter and filters by record name: ___recordID is not QUERYABLE",
                "filters by ___createTime, ___modTime, ___createdBy, ___modifiedBy: not QUERYABLE",
                "sorts and ranges by ___modTime: not SORTABLE", "ranges of q: QUERYABLE, but not SORTABLE",
            ])
        type.fields = SystemFieldName.allCases.map {
            SchemaField(name: $0.rawValue, type: DeclaredType($0.type), indexes: .all(for: $0.type))
        }
        #expect(IndexRefusals.sentences(of: type) == [])
        #expect(IndexRefusals.sentences(of: .users) == [])
    }
}
