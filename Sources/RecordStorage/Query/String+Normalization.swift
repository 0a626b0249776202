import Foundation

extension String {
    /// The text in the form in which columns hold it (Unicode NFC), so that equal texts are equal bytes.
    public var normalizedForStorage: String {
        utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping
    }
}
