public import Foundation

// Code for Apple's platforms writes `date as CVarArg` in a predicate's arguments. Linux's Foundation says of few types that
// they are arguments, so it is said here; predicates look at the value, not at what it is encoded as. Encoded, for
// `String(format:)`, is the text that describes it, which lives on: C does not count references to it.

extension Date: @retroactive CVarArg {
    /// The address of the date's text.
    public var _cVarArgEncoding: [Int] { ArgumentText.address(of: self) }
}

extension UUID: @retroactive CVarArg {
    /// The address of the UUID's text.
    public var _cVarArgEncoding: [Int] { ArgumentText.address(of: self) }
}

extension URL: @retroactive CVarArg {
    /// The address of the URL's text.
    public var _cVarArgEncoding: [Int] { ArgumentText.address(of: self) }
}

extension Data: @retroactive CVarArg {
    /// The address of a text with the number of bytes.
    public var _cVarArgEncoding: [Int] { ArgumentText.address(of: self) }
}

extension Array: @retroactive CVarArg {
    /// The address of the list's text.
    public var _cVarArgEncoding: [Int] { ArgumentText.address(of: self) }
}

extension Set: @retroactive CVarArg {
    /// The address of the set's text.
    public var _cVarArgEncoding: [Int] { ArgumentText.address(of: self) }
}

extension NSObject: @retroactive CVarArg {
    /// The address of the object.
    public var _cVarArgEncoding: [Int] {
        [Int(bitPattern: Unmanaged.passRetained(self).toOpaque())]
    }
}

private enum ArgumentText {
    static func address(of value: Any) -> [Int] {
        [Int(bitPattern: Unmanaged.passRetained(NSString(string: "\(value)")).toOpaque())]
    }
}
