import CloudKit
import Foundation
import RecordModel
import RecordWire
import Testing

@testable import StratusCloudKit

/// What the wire gets for a predicate: the filters in short, and the predicate text.
private struct Wire: Equatable, CustomTestStringConvertible {
    var filters: [String]
    var text: String?

    init(_ filters: String..., text: String? = nil) {
        self.filters = filters
        self.text = text
    }

    init(_ query: QueryDictionary) {
        filters = query.filterBy.map { filter in
            let field =
                switch filter.selector {
                case .field(let name): name
                case .system(let field): "$\(field.rawValue)"
                case .allText: "*"
                }
            let distance = filter.distance.map { " within \($0)" } ?? ""
            let value = String(decoding: JSONWriter.text { $0.value(filter.value.value) }, as: UTF8.self)
            return "\(field) \(filter.comparator.rawValue) \(value):\(filter.value.type ?? "-")\(distance)"
        }
        text = query.predicate
    }

    var testDescription: String { "\(filters) text: \(text ?? "none")" }
}

@Suite struct QueryTranslationTests {
    private static let now = Date(timeIntervalSinceReferenceDate: 700_000_000)

    private func wire(_ predicate: NSPredicate, isStrict: Bool = false) throws -> Wire {
        let query = CKQuery(recordType: "T", predicate: predicate)
        return Wire(try QueryTranslation(isStrict: isStrict, now: Self.now).translate(query))
    }

    private func wire(_ format: String, _ arguments: [Any] = [], isStrict: Bool = false) throws -> Wire {
        try wire(NSPredicate(format: format, argumentArray: arguments), isStrict: isStrict)
    }

    @Test(
        "What filters can say becomes filters",
        arguments: [
            ("TRUEPREDICATE", Wire()),
            ("name == 'Ada'", Wire(#"name EQUALS "Ada":STRING"#)),
            ("name = 'Ada' AND age != 3", Wire(#"name EQUALS "Ada":STRING"#, "age NOT_EQUALS 3:INT64")),
            ("3 < age && age =< 9.5", Wire("age GREATER_THAN 3:INT64", "age LESS_THAN_OR_EQUALS 9.5:DOUBLE")),
            ("open == YES", Wire("open EQUALS 1:INT64")),
            (
                "age BETWEEN {18, 30}",
                Wire("age GREATER_THAN_OR_EQUALS 18:INT64", "age LESS_THAN_OR_EQUALS 30:INT64")
            ),
            ("name IN {'a', 'b'}", Wire(#"name IN ["a","b"]:STRING_LIST"#)),
            ("price IN {1, 2.5}", Wire("price IN [1,2.5]:DOUBLE_LIST")),
            ("NOT name IN {'a'}", Wire(#"name NOT_IN ["a"]:STRING_LIST"#)),
            ("NOT (age == 3)", Wire("age NOT_EQUALS 3:INT64")),
            ("NOT (NOT (age == 3))", Wire("age EQUALS 3:INT64")),
            ("name BEGINSWITH 'No'", Wire(#"name BEGINS_WITH "No":STRING"#)),
            ("NOT name BEGINSWITH 'No'", Wire(#"name NOT_BEGINS_WITH "No":STRING"#)),
            ("numbers CONTAINS 3", Wire("numbers LIST_CONTAINS 3:INT64")),
            ("3 IN numbers", Wire("numbers LIST_CONTAINS 3:INT64")),
            ("NOT numbers CONTAINS 3", Wire("numbers NOT_LIST_CONTAINS 3:INT64")),
            ("ANY tags CONTAINS 'a'", Wire(#"tags LIST_CONTAINS "a":STRING"#)),
            ("ANY tags == 'a'", Wire(#"tags LIST_CONTAINS "a":STRING"#)),
            ("SOME tags IN {'a', 'b'}", Wire(#"tags LIST_CONTAINS_ANY ["a","b"]:STRING_LIST"#)),
            ("ANY {'a', 'b'} IN tags", Wire(#"tags LIST_CONTAINS_ANY ["a","b"]:STRING_LIST"#)),
            ("NONE tags IN {'a'}", Wire(#"tags NOT_LIST_CONTAINS_ANY ["a"]:STRING_LIST"#)),
            ("ANY tags BEGINSWITH 'a'", Wire(#"tags LIST_MEMBER_BEGINS_WITH "a":STRING"#)),
            ("self CONTAINS 'bob smith'", Wire(#"* CONTAINS_ANY_TOKENS "bob smith":STRING"#)),
            (
                "self CONTAINS 'bob' AND self CONTAINS 'smith'",
                Wire(#"* CONTAINS_ALL_TOKENS "bob smith":STRING"#)
            ),
            (
                "self CONTAINS 'a b' AND self CONTAINS 'c'",
                Wire(#"* CONTAINS_ANY_TOKENS "a b":STRING"#, #"* CONTAINS_ANY_TOKENS "c":STRING"#)
            ),
            ("ALL tokenize('a b', 'Cdl') IN allTokens", Wire(#"* CONTAINS_ALL_TOKENS "a b":STRING"#)),
        ])
    private func filters(format: String, expected: Wire) throws {
        #expect(try wire(format) == expected)
        // All of it is within what Apple's service takes.
        #expect(try wire(format, isStrict: true) == expected)
    }

    @Test(
        "What filters cannot say becomes predicate text, beside the filters that can",
        arguments: [
            ("a == 1 OR b == 2", Wire(text: "a == 1 OR b == 2")),
            ("c > 3 AND (a == 1 OR b == 2)", Wire("c GREATER_THAN 3:INT64", text: "a == 1 OR b == 2")),
            ("NOT (a == 1 AND b == 2)", Wire(text: "NOT (a == 1 AND b == 2)")),
            ("NOT a < 3", Wire(text: "NOT a < 3")),
            ("name CONTAINS 'x'", Wire(text: #"name CONTAINS "x""#)),
            ("'x' IN name", Wire(text: #"name CONTAINS "x""#)),
            ("name ENDSWITH 'x' AND a == 1", Wire("a EQUALS 1:INT64", text: #"name ENDSWITH "x""#)),
            ("name LIKE 'x*'", Wire(text: #"name LIKE "x*""#)),
            ("name ==[c] 'x'", Wire(text: #"name ==[c] "x""#)),
            ("name BEGINSWITH[cd] 'x'", Wire(text: #"name BEGINSWITH[cd] "x""#)),
            ("name == nil", Wire(text: "name == nil")),
            ("name != nil", Wire(text: "name != nil")),
            ("FALSEPREDICATE", Wire(text: "FALSEPREDICATE")),
            ("name IN {}", Wire(text: "FALSEPREDICATE")),
            ("recordID == 'r1' OR flag == TRUE", Wire(text: #"___recordID == "r1" OR flag == 1"#)),
            ("self CONTAINS 'a' OR b == 2", Wire(text: #"SELF CONTAINS "a" OR b == 2"#)),
        ])
    private func text(format: String, expected: Wire) throws {
        #expect(try wire(format) == expected)
        #expect(try PredicateTree(parsing: expected.text ?? "").description == expected.text)
    }

    @Test("Values of arguments are written out")
    func values() throws {
        let id = CKRecord.ID(recordName: "p1")
        let record = CKRecord(recordType: "Player", recordID: id)
        let reference = #"author EQUALS {"recordName":"p1","action":"NONE"}:REFERENCE"#
        #expect(try wire("author == %@", [id]) == Wire(reference))
        #expect(try wire("author == %@", [record]) == Wire(reference))
        #expect(
            try wire("author == %@", [CKRecord.Reference(record: record, action: .deleteSelf)])
                == Wire(reference))
        #expect(
            try wire("author IN %@", [[id]])
                == Wire(#"author IN [{"recordName":"p1","action":"NONE"}]:REFERENCE_LIST"#))
        #expect(
            try wire("author == %@ OR a == 1", [id]) == Wire(text: #"author == "p1" OR a == 1"#))
        #expect(try wire("at > %@", [Self.now]) == Wire("at GREATER_THAN 1678307200000:TIMESTAMP"))
        #expect(try wire("at > now()") == Wire("at GREATER_THAN 1678307200000:TIMESTAMP"))
        #expect(
            try wire("at > %@ OR a == 1", [Self.now])
                == Wire(text: #"at > CAST(700000000.0, "NSDate") OR a == 1"#))
        #expect(try wire("hash == %@", [Data([1, 2, 3])]) == Wire(#"hash EQUALS "AQID":BYTES"#))
    }

    @Test("A distance becomes NEAR, or text with the place written out")
    func distance() throws {
        let place = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: 48.5, longitude: 16), altitude: 0,
            horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date(timeIntervalSince1970: 0))
        let near = try wire("distanceToLocation:fromLocation:(place, %@) < 500", [place])
        #expect(near.text == nil)
        #expect(near.filters.count == 1)
        #expect(near.filters.first?.hasPrefix(#"place NEAR {"latitude":48.5,"longitude":16"#) == true)
        #expect(near.filters.first?.hasSuffix(":LOCATION within 500.0") == true)
        #expect(
            try wire("distanceToLocation:fromLocation:(place, %@) > 500", [place])
                == Wire(text: "distanceToLocation:fromLocation:(place, {48.5, 16.0}) > 500"))
    }

    @Test(
        "System fields go by their wire names",
        arguments: [
            ("creationDate > CAST(0, 'NSDate')", "$createdTimestamp GREATER_THAN 978307200000:TIMESTAMP"),
            ("___modTime > CAST(0, 'NSDate')", "$modifiedTimestamp GREATER_THAN 978307200000:TIMESTAMP"),
            ("recordID == 'r1'", #"$recordName EQUALS {"recordName":"r1","action":"NONE"}:REFERENCE"#),
            (
                "creatorUserRecordID == '_a'",
                #"$createdUserRecordName EQUALS {"recordName":"_a","action":"NONE"}:REFERENCE"#
            ),
            (
                "lastModifiedUserRecordID == '_a'",
                #"$modifiedUserRecordName EQUALS {"recordName":"_a","action":"NONE"}:REFERENCE"#
            ),
            ("recordID IN {'a'}", #"$recordName IN [{"recordName":"a","action":"NONE"}]:REFERENCE_LIST"#),
        ])
    func systemFields(format: String, filter: String) throws {
        #expect(try wire(format).filters == [filter])
    }

    @Test("Sort descriptors, by field, system field and distance")
    func sorting() throws {
        let query = CKQuery(recordType: "T", predicate: alwaysTrue)
        let place = CLLocation(latitude: 1, longitude: 2)
        query.sortDescriptors = [
            NSSortDescriptor(key: "name", ascending: true),
            NSSortDescriptor(key: "creationDate", ascending: false),
            CKLocationSortDescriptor(key: "place", relativeLocation: place),
        ]
        let sorts = try QueryTranslation(isStrict: true).translate(query).sortBy
        #expect(sorts.map(\.selector) == [.field("name"), .system(.createdTimestamp), .field("place")])
        #expect(sorts.map(\.ascending) == [true, false, true])
        #expect(sorts.last?.relativeLocation?.latitude == 1)
    }

    @Test(
        "What no service can answer is an error with a sentence",
        arguments: [
            "a == b", "1 == 2", "author.name == 'x'", "@count > 3", "a + 1 == 2", "sum(a) > 3", "$x == 3",
            "SUBQUERY(a, $x, $x.b == 1).@count > 0", "ALL {1, 2} IN a", "a == {1, 'x'}",
            "distanceToLocation:fromLocation:(place, 'x') < 3", "a IN {nil}",
        ])
    func refusals(format: String) {
        #expect {
            try wire(format)
        } throws: { error in
            let error = error as? CKError
            return error?.code == .invalidArguments && error?.localizedDescription.isEmpty == false
        }
    }

    @Test("Blocks, unknown objects and descriptors without a key are errors")
    func refusedObjects() {
        #expect(throws: CKError.self) { try wire(NSPredicate { _, _ in true }) }
        #expect(throws: CKError.self) { try wire("a == %@", [NSObject()]) }
        let query = CKQuery(recordType: "T", predicate: alwaysTrue)
        query.sortDescriptors = [NSSortDescriptor(keyPath: \String.count, ascending: true)]
        #expect(throws: CKError.self) { try QueryTranslation(isStrict: false).translate(query) }
        query.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
        #expect(throws: CKError.self) { try QueryTranslation(isStrict: false).translate(query) }
    }

    @Test(
        "With the strict option Apple's refusals are ours",
        arguments: [
            "a == 1 OR b == 2", "NOT (a == 1 AND b == 2)", "name ENDSWITH 'x'", "name ==[c] 'x'",
            "name == nil",
        ])
    func strict(format: String) throws {
        #expect(throws: CKError.self) { try wire(format, isStrict: true) }
        #expect(try wire("tags CONTAINS 'x'", isStrict: true) == Wire(#"tags LIST_CONTAINS "x":STRING"#))
    }

    @Test("Compounds made in code are read like formats")
    func compounds() throws {
        let parts = [NSPredicate(format: "a == 1"), NSPredicate(value: true), NSPredicate(format: "b == 2")]
        let and = NSCompoundPredicate(andPredicateWithSubpredicates: parts)
        #expect(try wire(and) == Wire("a EQUALS 1:INT64", "b EQUALS 2:INT64"))
    }

    @Test("A text beyond the service's limit is refused here")
    func longText() {
        let names = (0..<4_000).map { "n\($0)" }
        #expect { try wire("name IN %@ OR a == 1", [names]) } throws: {
            ($0 as? CKError)?.code == .limitExceeded
        }
    }
}
