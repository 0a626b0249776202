import DataModel
import Foundation
import Testing

@Suite struct XMLErrorTests {
    @Test(
        "A wrong value names line, element and attribute",
        arguments: [
            (#"<attribute name="x" attributeType="Text"/>"#, "attributeType", "INVALID_VALUE"),
            (
                #"<attribute name="x" attributeType="Integer 32" defaultValueString="1.5"/>"#,
                "defaultValueString", "INVALID_VALUE"
            ),
            (
                #"<attribute name="x" attributeType="Integer 64" minValueString="many"/>"#, "minValueString",
                "INVALID_VALUE"
            ),
            (
                #"<attribute name="x" attributeType="Decimal" defaultValueString="0x10"/>"#,
                "defaultValueString", "INVALID_VALUE"
            ),
            (
                #"<attribute name="x" attributeType="Boolean" defaultValueString="maybe"/>"#,
                "defaultValueString", "INVALID_VALUE"
            ),
            (
                #"<attribute name="x" attributeType="Date" minDateTimeInterval="May"/>"#,
                "minDateTimeInterval", "INVALID_VALUE"
            ),
            (
                #"<attribute name="x" attributeType="String" maxValueString="-1"/>"#, "maxValueString",
                "INVALID_VALUE"
            ),
            (#"<attribute name="x" optional="perhaps"/>"#, "optional", "INVALID_VALUE"),
            (
                #"<attribute name="x" attributeType="Composite" composite="Gone"/>"#, "composite",
                "UNKNOWN_NAME"
            ),
            (#"<attribute attributeType="String"/>"#, "name", "MISSING_ATTRIBUTE"),
            (#"<relationship name="r" destinationEntity="Gone"/>"#, "destinationEntity", "UNKNOWN_NAME"),
            (
                #"<relationship name="r" destinationEntity="A" inverseName="gone"/>"#, "inverseName",
                "UNKNOWN_NAME"
            ),
            (
                #"<relationship name="r" destinationEntity="A" inverseEntity="Gone"/>"#, "inverseEntity",
                "UNKNOWN_NAME"
            ),
            (#"<relationship name="r" deletionRule="Maybe"/>"#, "deletionRule", "INVALID_VALUE"),
            (#"<relationship name="r" toMany="YES" maxCount="few"/>"#, "maxCount", "INVALID_VALUE"),
            (#"<attribute name="x"/><relationship name="x"/>"#, "name", "DUPLICATE_NAME"),
            (
                #"<fetchIndex name="i"><fetchIndexElement type="Binary"/></fetchIndex>"#, "property",
                "MISSING_ATTRIBUTE"
            ),
            (
                #"<fetchIndex name="i"><fetchIndexElement property="x" type="Hash"/></fetchIndex>"#, "type",
                "INVALID_VALUE"
            ),
        ])
    func values(property: String, attribute: String, code: String) throws {
        let error = try #require(failure("<entity name=\"A\">\n\(property)\n</entity>"))
        #expect(error.code == code && error.attribute == attribute && error.line == 4, "\(error)")
        #expect(error.element != nil && error.file == "contents" && !error.remedy.isEmpty)
        #expect(error.description.hasPrefix("contents:4, "), "\(error)")
    }

    @Test("Inheritance that leads nowhere or in a circle is an error")
    func inheritance() throws {
        let missing = try #require(failure("<entity name='A'/>\n<entity name='B' parentEntity='Gone'/>"))
        #expect(missing.code == "UNKNOWN_NAME" && missing.line == 4 && missing.attribute == "parentEntity")
        let circle = try #require(
            failure("<entity name='A' parentEntity='B'/>\n<entity name='B' parentEntity='A'/>"))
        #expect(circle.code == "INHERITANCE_CYCLE" && circle.line == 3, "\(circle)")
        #expect(failure("<entity name='A' parentEntity='A'/>")?.code == "INHERITANCE_CYCLE")
        #expect(failure("<entity name='A'/>\n<entity name='A'/>")?.code == "DUPLICATE_NAME")
        let composite =
            "<composite name='C'><attribute name='x' attributeType='Composite' composite='C'/></composite>"
        #expect(failure(composite)?.code == "INHERITANCE_CYCLE")
    }

    @Test("An inverse may stand in a parent or a child of the other side")
    func inverses() {
        let base =
            "<entity name='P'><relationship name='r' destinationEntity='A'/></entity><entity name='C' parentEntity='P'/>"
        #expect(
            failure(
                base
                    + "<entity name='A'><relationship name='x' destinationEntity='C' inverseName='r'/></entity>"
            ) == nil)
        let child =
            "<entity name='P'/><entity name='C' parentEntity='P'><relationship name='r' destinationEntity='A'/></entity>"
        #expect(
            failure(
                child
                    + "<entity name='A'><relationship name='x' destinationEntity='P' inverseName='r'/></entity>"
            ) == nil)
    }

    @Test("The remains of a merge are an error with the line")
    func mergeConflict() throws {
        let error = try #require(
            failure("<entity name=\"A\">\n<<<<<<< HEAD\n=======\n>>>>>>> other\n</entity>"))
        #expect(error.code == "MERGE_CONFLICT" && error.line == 4, "\(error)")
    }

    @Test(
        "Malformed XML is an error with the line",
        arguments: [
            ("<entity name='A'>\n</attribute>", 4), ("<entity name='A'\n name='B'/>", 4),
            ("<entity\nname=A/>", 4),
            ("\n<entity name='&nbsp;'/>", 4), ("\n<entity name='<'/>", 4), ("\n<1", 4),
            ("\n<entity name='a'b='c'/>", 4),
        ])
    func malformed(body: String, line: Int) throws {
        let error = try #require(failure(body))
        #expect(error.code == "MALFORMED_XML" && error.line == line, "\(error)")
    }

    @Test("Deep nesting and entity declarations do not grow")
    func bounds() throws {
        let deep = String(repeating: "<entity>", count: 100_000)
        #expect(failure(deep)?.code == "MALFORMED_XML")
        let text = "<!DOCTYPE model [<!ENTITY a \"aaaa\">]><model><entity name=\"&a;\"/></model>"
        #expect(throws: ModelDocumentError.self) { try ModelDocument(xml: Data(text.utf8)) }
        #expect(throws: ModelDocumentError.self) { try ModelDocument(xml: Data("<plist/>".utf8)) }
        #expect(throws: ModelDocumentError.self) { try ModelDocument(xml: Data()) }
    }
}
