import Foundation
import TestSupport
import Testing

@testable import RecordConsole

@Suite struct HTMLTextTests {
    /// What means something in HTML, what joins with it to one Character, and plain text.
    private static let pieces = [
        "&", "<", ">", "\"", "'", "\u{600}", "\u{301}", "\u{200D}", "\u{FE0F}", "\r\n", "\u{110BD}", "a", "é",
        "👩‍👩‍👧",
    ]

    @Test(arguments: Seed.some(200))
    func `Nothing that means something in HTML is left, and a browser reads the text back`(_ seed: Seed)
        throws
    {
        var random = seed.random
        let text = (0..<Int.random(in: 0...12, using: &random))
            .map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
        let escaped = HTMLText.ContentType().escapeText(text)
        for scalar in "<>\"'".unicodeScalars {
            #expect(!escaped.unicodeScalars.contains(scalar))
        }
        var back = escaped
        for (entity, character) in [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
        ] {
            back = back.replacingOccurrences(of: entity, with: character, options: .literal)
        }
        #expect(Array(back.utf8) == Array(text.utf8))
        // The templates use it.
        let page = try Templates().render(ErrorPage(code: "", reason: text, remedy: nil))
        #expect(text.isEmpty || page.range(of: escaped, options: .literal) != nil)
    }
}
