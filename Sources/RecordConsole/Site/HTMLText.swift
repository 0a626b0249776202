import Mustache

/// How text becomes a part of HTML.
enum HTMLText {
    /// What stands for a byte that means something in HTML.
    static func entity(_ byte: UInt8) -> StaticString? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
    }

    /// The escapes of our templates' `{{…}}`, by bytes.
    ///
    /// The library's own go by `Character`. There a mark such as U+0600 is one with the `<` after it, which then
    /// is not escaped; a browser sees two code points, and the second begins a tag.
    struct ContentType: MustacheContentType {
        /// The pragma that begins a template.
        static let pragma = "{{% CONTENT_TYPE: HTML_BYTES}}"
        private static let name = "HTML_BYTES"

        /// Makes the name known to the library. Doing it again does no harm.
        static func register() {
            MustacheContentTypes.register(ContentType(), named: name)
        }

        func escapeText(_ text: String) -> String {
            var writer = HTMLWriter(reserving: text.utf8.count)
            writer.text(text)
            return writer.html
        }
    }
}
