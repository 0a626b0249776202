/// A text that equals another one only where both have the same scalars.
///
/// Swift's strings are equal where Unicode says that they mean the same, so `"é" == "e\u{301}"`, and a dictionary takes
/// both for one key. Databases and Apple's frameworks tell them apart, and so does the service: whatever is keyed, compared
/// or sorted by a record name goes through this type or through ``Swift/String/isExactly(_:)``.
///
/// ```swift
/// var names: Set<ExactText> = ["\u{E9}"]
/// names.contains("e\u{301}")  // false
///
/// struct Place: Hashable {
///     var zone: Int64
///     @ExactText var name: String
/// }
/// ```
@propertyWrapper
public struct ExactText: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The text.
    public var wrappedValue: String

    /// The text.
    @inlinable public var text: String { wrappedValue }

    /// Wraps the text of a property.
    @inlinable
    public init(wrappedValue: String) { self.wrappedValue = wrappedValue }

    /// Wraps a text.
    @inlinable
    public init(_ text: String) { wrappedValue = text }

    public init(stringLiteral text: String) { wrappedValue = text }

    public var description: String { text }

    public static func == (left: ExactText, right: ExactText) -> Bool { left.text.isExactly(right.text) }

    /// The order of scalars, which is that of the bytes of UTF-8.
    public static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No text is the beginning of another one that is hashed with it.
        hasher.combine(0xFF as UInt8)
    }
}

extension String {
    /// Whether another text has the same scalars; `==` asks whether it means the same.
    public func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Sequence<String> {
    /// The texts in the order of their scalars.
    public func sortedExactly() -> [String] {
        sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
