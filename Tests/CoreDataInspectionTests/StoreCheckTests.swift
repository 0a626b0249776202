import Foundation
import SQLiteAccess
import StratusCoreData
import TestSupport
import Testing

@testable import CoreDataInspection

@Suite("Checking stores")
struct StoreCheckTests {
    @Test("A store that we wrote reads as plain SQL says", arguments: ["WAL", "DELETE"])
    func clean(journal: String) throws {
        let store = try SampleStore(journal: journal)
        let report = StoreChecker.check(store.url)
        #expect(report.verdict == .clean, "\(report)")
        #expect(report.modelOrigin == "cache")
        #expect(report.objects == 3 + 5 + 86 && report.notes.isEmpty)
        #expect(report.values > 200 && report.relationships > 100)
    }

    @Test("Nothing in the store's folder changes", arguments: ["WAL", "DELETE"])
    func unchanged(journal: String) throws {
        let store = try SampleStore(journal: journal)
        let before = try store.contents()
        _ = StoreChecker.check(store.url)
        _ = try StoreInspector.report(store.url)
        _ = try RowTable(store.url, query: .init(entity: "Course"))
        #expect(try store.contents() == before)
    }

    @Test("Rows that are only in the log are seen")
    func log() throws {
        let store = try SampleStore()
        let connection = try SQLiteConnection(path: store.url.path)
        try connection.execute("PRAGMA wal_autocheckpoint = 0; UPDATE ZTAG SET ZNAME = 'logged'")
        // The connection is still open, so the log is there.
        let table = try RowTable(store.url, query: .init(entity: "Tag", predicate: "name == 'logged'"))
        #expect(table.total == 3)
        #expect(try StoreInspector.report(store.url).copiedBecause?.contains("log") == true)
        connection.close()
    }

    @Test(
        "What is not as the rules say is found",
        arguments: [
            ("UPDATE ZITEM SET ZCOURSE = 999 WHERE ZNUMBER = 3", "keys lead to no row"),
            ("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Item'", "Z_MAX is less"),
            (
                "UPDATE ZITEM SET Z_ENT = NULL WHERE Z_PK = (SELECT max(Z_PK) FROM ZITEM WHERE ZNUMBER = 5)",
                "no entity"
            ),
            ("UPDATE ZITEM SET Z_FOK_COURSE = 1 WHERE ZCOURSE NOT NULL", "an order value occurs twice"),
            ("UPDATE ZITEM SET Z_FOK_COURSE = NULL WHERE ZNUMBER = 2", "a key has no order value"),
            ("DELETE FROM ZTAG WHERE ZNAME = 't0'", "join rows lead to no row"),
            ("UPDATE ZITEM SET ZBEGINS = 'soon' WHERE ZPRICE NOT NULL", "a date is a text"),
            ("UPDATE ZITEM SET ZOPEN = 7 WHERE ZOPEN NOT NULL", "a Boolean is 7"),
            ("UPDATE ZITEM SET ZNUMBER = 70000 WHERE ZNUMBER = 1", "an Integer 16 is 70000"),
        ])
    func odd(sql: String, finding: String) throws {
        let store = try SampleStore()
        try store.execute(sql)
        let report = StoreChecker.check(store.url)
        // A count of the whole family still has the row without an entity, which is a difference.
        #expect(report.verdict == (finding == "no entity" ? CheckReport.Verdict.failed : .odd), "\(report)")
        #expect(report.oddities.contains { $0.contains(finding) }, "\(report.oddities)")
    }

    @Test("A value that is read otherwise than it stands is a difference")
    func values() throws {
        let comparison = ValueComparison(externalFolder: URL(fileURLWithPath: "/nonexistent"))
        func isDifferent(_ value: Any?, _ stored: SQLiteValue, _ type: NSAttributeType) -> Bool {
            let attribute = NSAttributeDescription()
            attribute.attributeType = type
            let outcome = comparison.compare(value, stored, attribute)
            if case .different = outcome { return true }
            return false
        }
        #expect(isDifferent(nil, .int(1), .integer32AttributeType))
        #expect(isDifferent(NSNumber(value: 2), .int(1), .integer32AttributeType))
        #expect(!isDifferent(NSNumber(value: 1), .int(1), .integer32AttributeType))
        #expect(isDifferent("a", .null, .stringAttributeType))
        #expect(isDifferent("e\u{301}", .text("é"), .stringAttributeType))
        #expect(isDifferent(Date(timeIntervalSinceReferenceDate: 1), .double(1.5), .dateAttributeType))
        #expect(!isDifferent(Date(timeIntervalSinceReferenceDate: 1), .double(1), .dateAttributeType))
        #expect(isDifferent(Data([1]), .blob(Data([2])), .binaryDataAttributeType))
        #expect(isDifferent(UUID(), .blob(Data(count: 16)), .UUIDAttributeType))
        #expect(isDifferent(NSDecimalNumber(value: 2), .double(2.5), .decimalAttributeType))
        #expect(isDifferent(nil, .blob(Data([1])), .transformableAttributeType))
        // What was archived may be bytes.
        let inner = Data([1, 2, 3])
        let archived = try NSKeyedArchiver.archivedData(
            withRootObject: NSData(data: inner), requiringSecureCoding: true)
        #expect(!isDifferent(inner, .blob(archived), .transformableAttributeType))
        #expect(isDifferent(Data([9]), .blob(archived), .transformableAttributeType))
        // A UUID may be the text of its bytes.
        let letters = "ABCDEFGHIJKLMNOP"
        let uuid = try #require(UUID(uuidString: "41424344-4546-4748-494A-4B4C4D4E4F50"))
        #expect(!isDifferent(uuid, .text(letters), .UUIDAttributeType))
        #expect(isDifferent(nil, .text(letters), .UUIDAttributeType))
        #expect(!isDifferent(uuid, .text(uuid.uuidString), .UUIDAttributeType))
    }

    @Test("A store whose model cannot be read is shown by its tables, and says so")
    func noModel() throws {
        let store = try SampleStore()
        try store.execute("DELETE FROM Z_MODELCACHE")
        let report = StoreChecker.check(store.url)
        #expect(report.verdict == .clean, "\(report)")
        #expect(report.modelOrigin == "tables" && report.objects == 94)
        #expect(report.notes.contains { $0.contains("Z_MODELCACHE is empty") })
        let table = try RowTable(
            store.url, query: .init(entity: "Chapter", predicate: "number == 3", sort: "-title"))
        #expect(table.total == 4)
    }

    @Test("A store that says nothing about itself is read all the same")
    func noMetadata() throws {
        let store = try SampleStore()
        try store.execute("UPDATE Z_METADATA SET Z_PLIST = NULL; DROP TABLE Z_MODELCACHE")
        let report = StoreChecker.check(store.url)
        #expect(report.verdict == .clean && report.objects == 94, "\(report)")
        let inspection = try StoreInspector.report(store.url)
        #expect(inspection.frameworkVersion == nil)
        #expect(inspection.notes.contains { $0.contains("no metadata list") })
    }

    @Test("An entity that still has its old name in Z_PRIMARYKEY is found")
    func renamed() throws {
        let store = try SampleStore()
        try store.execute("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Lesson' WHERE Z_NAME = 'Chapter'")
        let report = StoreChecker.check(store.url)
        #expect(report.verdict == .clean, "\(report)")
        #expect(report.notes.contains { $0.contains("'Chapter' by its old name 'Lesson'") })
    }

    @Test("Files that are no stores are told apart")
    func foreign() throws {
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path)
        let text = url.appendingPathComponent("a.txt")
        try Data("text".utf8).write(to: text)
        let other = url.appendingPathComponent("b.sqlite")
        try SQLiteConnection(path: other.path).execute("CREATE TABLE a (b)")
        #expect(StoreChecker.check(text).verdict == .notAStore)
        #expect(StoreChecker.check(other).verdict == .notAStore)
        #expect(StoreChecker.check(url.appendingPathComponent("none")).verdict == .failed)
        #expect(FileSearch.stores(at: url).map(\.lastPathComponent) == ["b.sqlite"])
    }

    @Test("A damaged file is a report, not a trap", arguments: Seed.some(15))
    func damaged(seed: Seed) throws {
        var random = seed.random
        let store = try SampleStore(journal: "DELETE")
        var bytes = try Data(contentsOf: store.url)
        for _ in 0..<random.int(1...60) {
            bytes[random.int(100...(bytes.count - 1))] = UInt8(random.int(0...255))
        }
        try bytes.write(to: store.url)
        let report = StoreChecker.check(store.url)
        #expect(report.path == store.url.path)
    }

    @Test("A UUID that another tool stored as a text is read")
    func uuidAsText() throws {
        let store = try SampleStore()
        let uuid = "FF424344-4546-4748-494A-4B4C4D4E4F50"
        for stored in ["CAST(x'ff42434445464748494a4b4c4d4e4f50' AS TEXT)", "'\(uuid)'"] {
            try store.execute("UPDATE ZITEM SET ZCODE = \(stored)")
            let table = try RowTable(store.url, query: .init(entity: "Course", limit: 1))
            let column = try #require(table.columns.firstIndex(of: "code"))
            #expect(table.rows.first?[column] == .text(uuid), "\(stored)")
        }
    }
}
