import Testing

@testable import Courses

@Suite("The pages of the example")
struct HTMLTests {
    @Test(
        "Texts are escaped, HTML is not",
        arguments: [
            ("<b>", "&lt;b&gt;"), ("a & b", "a &amp; b"), ("\"'", "&quot;&#39;"),
            // With a combining mark behind it, '<' is part of one character.
            ("<\u{301}script>", "&lt;\u{301}script&gt;"), ("plain", "plain"), ("", ""),
        ])
    func escaping(_ text: String, _ escaped: String) {
        let inner: HTML = "<i title=\"\(text)\">\(text)</i>"
        #expect(inner.text == "<i title=\"\(escaped)\">\(escaped)</i>")
        let outer: HTML = "<p>\(inner)\([inner, inner])\(7)</p>"
        #expect(outer.text == "<p>\(inner.text)\(inner.text)\n\(inner.text)7</p>")
    }
}
