import Foundation
import StratusCoreData
import TestSupport
import Testing

@testable import CoreDataInspection

@Suite("Inspecting stores and models")
struct InspectorTests {
    @Test("A report names entities, counts and properties")
    func report() throws {
        let store = try SampleStore()
        let report = try StoreInspector.report(store.url)
        #expect(report.entities.map(\.name) == ["Item", "Chapter", "Course", "Tag"])
        #expect(report.entities.map(\.rows) == [0, 86, 5, 3])
        #expect(report.entities.map(\.rowsWithSubentities) == [91, 86, 5, 3])
        #expect(report.entities[0].isAbstract && report.entities[1].parent == "Item")
        #expect(report.entities[1].relationships == ["course: Course", "tags: [Tag]"])
        #expect(report.entities[1].attributes == ["number: Integer 16", "title: String"])
        #expect(report.historyChanges == nil && report.mirroringTables.isEmpty)
        #expect(UUID(uuidString: report.identifier) != nil)
    }

    @Test("A pipe or a folder where a store was expected is an error, nobody waits, and it stays")
    func otherThanFiles() throws {
        let directory = try TemporaryDirectory()
        let (pipe, folder) = (directory.path + "/a.sqlite", directory.path + "/b.sqlite")
        #expect(mkfifo(pipe, 0o600) == 0)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let model = directory.url.appendingPathComponent("contents")
        try Data(#"<model documentVersion="1.0"><entity name="A"/></model>"#.utf8).write(to: model)
        #expect(ModelCheck.check(model).error == nil)
        for path in [pipe, folder] {
            let url = URL(fileURLWithPath: path)
            let error = #expect(throws: InspectionError.self) { try StoreInspector.report(url) }
            #expect(error?.code == "UNREADABLE_STORE")
            #expect(StoreChecker.check(url).verdict != .clean)
            let migrator = StoreMigrator(store: url, model: model)
            #expect(throws: (any Error).self) { try migrator.migrate(keepsOld: true) { _, _ in } }
        }
        #expect(FileSearch.stores(at: directory.url).isEmpty)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == [
                "a.sqlite", "b.sqlite", "contents",
            ])
    }

    @Test("A store behind a link is read")
    func behindALink() throws {
        let store = try SampleStore()
        let directory = try TemporaryDirectory()
        let link = directory.path + "/Link.sqlite"
        #expect(symlink(store.url.path, link) == 0)
        #expect(StoreChecker.check(URL(fileURLWithPath: link)).verdict == .clean)
    }

    @Test("Rows are filtered, sorted, limited, and on one line each")
    func rows() throws {
        let store = try SampleStore()
        let query = RowTable.Query(
            entity: "Chapter", predicate: "course.title BEGINSWITH 'Course 1'", sort: "-number", limit: 2)
        let table = try RowTable(store.url, query: query)
        #expect(table.columns == ["objectID", "entity", "number", "title", "course"])
        #expect(table.rows.map { $0[2].line } == ["20", "19"])
        #expect(table.total == 21 && table.rows[0][4].line?.hasPrefix("Course/p") == true)
        let courses = try RowTable(store.url, query: .init(entity: "Course", sort: "title"))
        #expect(courses.rows.contains { row in row.contains { $0.line == "Course 0⏎line" } })
        #expect(courses.rows.last?.contains(.empty) == true)
    }

    @Test("As JSON, values are whole and of their kinds")
    func json() throws {
        let cells: [RowTable.Cell] = [
            .text("one\ntwo"), .integer(3), .number(0.5), .truth(true), .empty,
            .bytes(Data((0..<20).map { UInt8($0) })), .decimal(Decimal(string: "1.25") ?? 0),
            .date(Date(timeIntervalSinceReferenceDate: 0.5)), .number(.infinity),
        ]
        let text = String(decoding: try JSONEncoder().encode(cells), as: UTF8.self)
        #expect(
            text
                == #"["one\ntwo",3,0.5,true,null,"AAECAwQFBgcICQoLDA0ODxAREhM=",1.25,"2001-01-01T00:00:00.500Z","inf"]"#
        )
        let store = try SampleStore()
        let chapters = try RowTable(store.url, query: .init(entity: "Chapter", sort: "number", limit: 1))
        guard case .integer = chapters.rows[0][2] else {
            Issue.record("The number is \(chapters.rows[0][2]).")
            return
        }
        let courses = try RowTable(store.url, query: .init(entity: "Course", sort: "title"))
        #expect(courses.rows.contains { row in row.contains(.text("Course 0\nline")) })
    }

    @Test("Mistakes in a query are named")
    func mistakes() throws {
        let store = try SampleStore()
        #expect(throws: InspectionError.self) { try RowTable(store.url, query: .init(entity: "Nothing")) }
        #expect(throws: InspectionError.self) {
            try RowTable(store.url, query: .init(entity: "Course", sort: "nothing"))
        }
        #expect(throws: (any Error).self) {
            try RowTable(store.url, query: .init(entity: "Course", predicate: "title =="))
        }
        #expect(throws: (any Error).self) {
            try RowTable(store.url, query: .init(entity: "Course", predicate: "nothing == 1"))
        }
    }

    @Test("Models in folders are found and counted, and the broken one named with its line")
    func models() throws {
        let directory = try TemporaryDirectory()
        let folder = URL(fileURLWithPath: directory.path)
        for (name, text) in [
            (
                "Good",
                "<model><entity name=\"A\"><attribute name=\"x\" attributeType=\"String\"/></entity></model>"
            ),
            ("Bad", "<model>\n<entity name=\"A\" parentEntity=\"B\"/></model>"),
        ] {
            let place = folder.appendingPathComponent("deep/\(name).xcdatamodeld/\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: place.appendingPathComponent("contents"))
        }
        let checks = FileSearch.models(at: folder).map(ModelCheck.check)
        #expect(checks.count == 4)
        let good = checks.filter { $0.error == nil }
        #expect(good.count == 2 && good.allSatisfy { $0.entities == 1 && $0.attributes == 1 })
        #expect(checks.first { $0.error != nil }?.error?.contains("contents:2, entity 'A'") == true)
    }
}
