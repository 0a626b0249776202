import Testing

@testable import RecordConsole

/// What becomes of structs before a template shows them.
@Suite struct TemplateMembersTests {
    private struct Part: TemplateModel {
        let name: String
        let count: Int64?
    }

    private struct Whole: TemplateModel {
        let text: String
        let `where`: String?
        let isOn: Bool
        let number: Double
        let part: Part
        let none: Part?
        let parts: [Part]
        let words: [String]
        let empty: [Part]
    }

    @Test func `Properties keep their names and types, and nil is left out`() throws {
        let part = Part(name: "a", count: 1 << 40)
        let members = Whole(
            text: "t", where: "w", isOn: false, number: 0.5, part: part, none: nil,
            parts: [part, Part(name: "b", count: nil)], words: ["x", "y"], empty: []
        ).members
        #expect(Set(members.keys) == ["text", "where", "isOn", "number", "part", "parts", "words", "empty"])
        #expect(members["text"] as? String == "t" && members["where"] as? String == "w")
        #expect(members["isOn"] as? Bool == false && members["number"] as? Double == 0.5)
        let inner = try #require(members["part"] as? [String: Any])
        #expect(inner["name"] as? String == "a" && inner["count"] as? Int64 == 1 << 40)
        let parts = try #require(members["parts"] as? [[String: Any]])
        #expect(parts.map { $0["name"] as? String } == ["a", "b"])
        #expect(parts.map { Set($0.keys) } == [["name", "count"], ["name"]])
        #expect(members["words"] as? [String] == ["x", "y"])
        // An empty list is a list: a section of it shows nothing, and the inverted one is shown.
        #expect((members["empty"] as? [Any])?.isEmpty == true)
    }
}
