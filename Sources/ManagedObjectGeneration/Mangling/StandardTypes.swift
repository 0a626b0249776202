/// The types of the standard library whose symbols are one letter.
enum StandardTypes {
    private static let letters: [String: UInt8] = [
        "AutoreleasingUnsafeMutablePointer": "A", "Array": "a", "Bool": "b", "Dictionary": "D",
        "Double": "d", "Float": "f", "Set": "h", "DefaultIndices": "I", "Int": "i", "Character": "J",
        "ClosedRange": "N", "Range": "n", "ObjectIdentifier": "O", "UnsafePointer": "P",
        "UnsafeMutablePointer": "p", "UnsafeBufferPointer": "R", "UnsafeMutableBufferPointer": "r",
        "String": "S", "Substring": "s", "UInt": "u", "UnsafeRawPointer": "V",
        "UnsafeMutableRawPointer": "v", "UnsafeRawBufferPointer": "W",
        "UnsafeMutableRawBufferPointer": "w",
    ].mapValues { (character: Character) in character.asciiValue ?? 0 }

    static func letter(of name: String) -> UInt8? { letters[name] }
}
