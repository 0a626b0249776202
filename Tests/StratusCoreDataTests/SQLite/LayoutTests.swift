import Foundation
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

@Suite("The layout of a store follows Apple's rules")
struct LayoutTests {
    /// The rules of column order, entity columns, keys without inverse and orders, in one model.
    @Test func tablesOfOneModel() throws {
        let novel = entity("GraphicNovel", [attribute("isBlackAndWhite", .booleanAttributeType)])
        let book = entity(
            "Book",
            [
                attribute("pagesCount", .integer64AttributeType), attribute("price", .decimalAttributeType),
                attribute("publishedAt", .dateAttributeType), attribute("title", .stringAttributeType),
                attribute("link", .URIAttributeType), attribute("uniqueID", .UUIDAttributeType),
                attribute("frontCover", .transformableAttributeType),
                attribute("raw", .binaryDataAttributeType),
                attribute("weight", .doubleAttributeType),
                attribute("shown", .stringAttributeType) { $0.isTransient = true },
            ], subentities: [novel])
        let page = entity("Page", [attribute("number", .integer32AttributeType)])
        let writer = entity("Author", [attribute("name", .stringAttributeType)])
        let (pages, inBook) = (relationship("pages", many: true), relationship("book"))
        join(pages, of: book, inBook, of: page)
        let (author, books) = (relationship("author"), relationship("books", many: true, ordered: true))
        join(author, of: book, books, of: writer)
        let notes = relationship("marked", many: true)
        notes.destinationEntity = page
        book.properties += [pages, author]
        page.properties += [inBook]
        writer.properties += [books, notes]
        book.uniquenessConstraints = [["uniqueID"]]
        let layout = try LayoutBuilder.layout(model([page, book, writer]), configuration: nil)
        #expect(
            layout.createStatements == [
                "CREATE TABLE ZAUTHOR ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
                "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPAGESCOUNT INTEGER, "
                    + "ZAUTHOR INTEGER, ZISBLACKANDWHITE INTEGER, Z_FOK_AUTHOR INTEGER, ZPRICE DECIMAL, "
                    + "ZPUBLISHEDAT TIMESTAMP, ZWEIGHT FLOAT, ZLINK VARCHAR, ZTITLE VARCHAR, ZUNIQUEID BLOB, "
                    + "ZFRONTCOVER BLOB, ZRAW BLOB )",
                "CREATE INDEX ZBOOK_ZAUTHOR_INDEX ON ZBOOK (ZAUTHOR)",
                "CREATE INDEX ZBOOK_Z_ENT_INDEX ON ZBOOK (Z_ENT)",
                "CREATE TABLE ZPAGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNUMBER INTEGER, "
                    + "ZBOOK INTEGER, Z2_BOOK INTEGER, Z1MARKED INTEGER )",
                "CREATE INDEX ZPAGE_ZBOOK_INDEX ON ZPAGE (ZBOOK)",
                "CREATE INDEX ZPAGE_Z1MARKED_INDEX ON ZPAGE (Z1MARKED)",
                "CREATE UNIQUE INDEX Z_Book_UNIQUE_uniqueID ON ZBOOK (ZUNIQUEID COLLATE BINARY ASC)",
            ])
    }

    @Test func joinTables() throws {
        let (conversation, label) = (entity("Conversation"), entity("Label"))
        let (labels, conversations) = (
            relationship("labels", many: true, ordered: true), relationship("conversations", many: true)
        )
        join(labels, of: conversation, conversations, of: label)
        conversation.properties = [labels]
        label.properties = [conversations]
        let layout = try LayoutBuilder.layout(model([label, conversation]), configuration: nil)
        #expect(
            layout.joins.flatMap(\.createStatements) == [
                "CREATE TABLE Z_1LABELS ( Z_1CONVERSATIONS INTEGER, Z_2LABELS INTEGER, Z_FOK_2LABELS INTEGER, "
                    + "PRIMARY KEY (Z_1CONVERSATIONS, Z_2LABELS) )",
                "CREATE INDEX Z_1LABELS_Z_2LABELS_INDEX ON Z_1LABELS (Z_2LABELS, Z_1CONVERSATIONS)",
            ])
    }

    @Test func namesThatClashGetNumbers() throws {
        let first = entity("B", [attribute("text", .stringAttributeType)])
        let second = entity(
            "C", [attribute("Text", .stringAttributeType), attribute("odd name", .stringAttributeType)])
        let layout = try LayoutBuilder.layout(
            model([entity("A", subentities: [first, second])]), configuration: nil)
        #expect(layout.tables.first?.columns.map(\.name) == ["ZTEXT", "ZTEXT1", "ZODD NAME"])
        #expect(layout.createStatements.first?.contains("\"ZODD NAME\" VARCHAR") == true)
    }

    @Test func compositesAreFlattened() throws {
        let address = NSCompositeAttributeDescription()
        address.name = "address"
        address.elements = [
            attribute("street", .stringAttributeType), attribute("number", .integer16AttributeType),
        ]
        let layout = try LayoutBuilder.layout(model([entity("Person", [address])]), configuration: nil)
        #expect(layout.tables.first?.columns.map(\.name) == ["ZADDRESS_NUMBER", "ZADDRESS_STREET"])
    }

    @Test func indexesOfEveryKind() throws {
        let place = entity(
            "Place",
            [
                attribute("latitude", .doubleAttributeType), attribute("longitude", .doubleAttributeType),
                attribute("name", .stringAttributeType) { $0.isIndexed = true },
                attribute("kind", .integer16AttributeType),
            ])
        func element(_ name: String, _ type: NSFetchIndexElementType, ascending: Bool = true) throws
            -> NSFetchIndexElementDescription
        {
            let element = NSFetchIndexElementDescription(
                property: try #require(place.propertiesByName[name]), collationType: type)
            element.isAscending = ascending
            return element
        }
        place.indexes = [
            NSFetchIndexDescription(
                name: "byKind",
                elements: [try element("kind", .binary, ascending: false), try element("name", .binary)]),
            NSFetchIndexDescription(
                name: "spot", elements: [try element("latitude", .rTree), try element("longitude", .rTree)]),
        ]
        place.compoundIndexes = [["name", "kind"]]
        let statements = try LayoutBuilder.layout(model([place]), configuration: nil).createStatements
        #expect(statements.contains("CREATE INDEX Z_Place_name ON ZPLACE (ZNAME COLLATE BINARY ASC)"))
        #expect(
            statements.contains(
                "CREATE INDEX Z_Place_name_kind ON ZPLACE (ZNAME COLLATE BINARY ASC, ZKIND COLLATE BINARY ASC)"
            ))
        #expect(
            statements.contains(
                "CREATE INDEX Z_Place_byKind ON ZPLACE (ZKIND COLLATE BINARY DESC, ZNAME COLLATE BINARY ASC)")
        )
        #expect(
            statements.contains(
                "CREATE VIRTUAL TABLE Z_RT_Place_spot USING RTREE (Z_PK, ZLATITUDE_MIN, ZLATITUDE_MAX, ZLONGITUDE_MIN, ZLONGITUDE_MAX)"
            ))
    }

    @Test func numbersComeDepthFirstWithoutRegardToCase() throws {
        let layout = try LayoutBuilder.layout(
            model([
                entity("SyncFeature"),
                entity("SyncableSettings", subentities: [entity("Zeta"), entity("alpha")]),
            ]),
            configuration: nil)
        #expect(
            layout.entities.map { $0.entity.name } == ["SyncableSettings", "alpha", "Zeta", "SyncFeature"])
        #expect(layout.entities.map(\.number) == [1, 2, 3, 4])
    }
}
