import Testing

@testable import RecordServer

@Suite struct EntityTagTests {
    /// An `If-None-Match` header, and whether it names the version `"a"`.
    @Test(arguments: [
        (nil, false), ("", false), ("\"a\"", true), ("W/\"a\"", true), ("*", true), ("\"b\"", false),
        ("\"b\", \"a\"", true), ("\"b\",W/\"a\"", true), ("\"b\" ,\t\"a\"\t", true), (" * ", true),
        ("a", false),
        ("\"a", false), ("w/\"a\"", false), ("\"aa\"", false), (",,\"a\"", true),
    ])
    func isKnown(header: String?, known: Bool) { #expect(EntityTag("a").isKnown(header) == known) }

    @Test(arguments: [
        (nil, true), ("\"a\"", true), ("W/\"a\"", false), ("*", false), ("\"b\"", false),
        ("Sat, 21 Nov 2026 20:00:00 GMT", false),
    ])
    func allowsRange(header: String?, allowed: Bool) {
        #expect(EntityTag("a").allowsRange(header) == allowed)
    }

    @Test func sameBytesHaveTheSameTag() {
        #expect(EntityTag(content: [1, 2]) == EntityTag(content: [1, 2]))
        #expect(EntityTag(content: [1, 2]) != EntityTag(content: [2, 1]))
        #expect(EntityTag(content: []).text.wholeMatch(of: /"[a-z0-9]+"/) != nil)
    }
}
