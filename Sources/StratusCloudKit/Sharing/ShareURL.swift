internal import Foundation

/// The address of a share: a token at the end of a path, and after `#` a title for people.
enum ShareURL {
    /// How many characters a token has (Documentation/Protocol.md, 'Sharing').
    static let tokenLength = 25

    /// The address that an answer gives, with the title of the share: nil where it is none.
    ///
    /// The title is for those who read the address; nothing looks at it.
    static func titled(_ address: String, title: String?) -> URL? {
        guard var parts = URLComponents(string: address) else { return nil }
        if let title, !title.isEmpty { parts.fragment = title.replacing(" ", with: "_") }
        return parts.url
    }

    /// What a service knows an address by.
    ///
    /// Apps hand over what people give them: an address of any host, with a title or without, a bare token, or a message
    /// with an address in it. The first part of a path that has the form of a token is taken, then any word that has it, and
    /// the end of the path where none has. Titles can have that form too: what follows `#` counts only where nothing before
    /// it has.
    static func token(in url: URL) -> String {
        let text = url.absoluteString
        let whole = text.removingPercentEncoding ?? text
        let parts = whole.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        for part in parts {
            let tokens = words(of: part).filter { $0.utf8.count == tokenLength }
            let ofPath = tokens.first { part[..<$0.startIndex].last == "/" }
            if let token = ofPath ?? tokens.last { return String(token) }
        }
        let path = parts.first?.split { $0 == "?" || $0.isWhitespace }.last ?? ""
        return path.split(separator: "/").last.map(String.init) ?? whole
    }

    /// The runs of characters that a token can have.
    private static func words(of text: Substring) -> [Substring] {
        text.split { character in
            !(character.isASCII
                && (character.isLetter || character.isNumber || character == "-" || character == "_"))
        }
    }
}
