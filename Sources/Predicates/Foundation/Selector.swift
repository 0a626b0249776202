internal import Foundation

/// The name of a method, which Linux has no type for.
///
/// `Selector("localizedStandardCompare:")`, or the constants that stand for `#selector(NSString.…)`.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name, with its colons.
    public let name: String

    /// Takes a name.
    public init(_ name: String) { self.name = name }

    /// Takes a name.
    public init(stringLiteral name: String) { self.name = name }
}

extension Selector {
    /// The comparison of two texts that it names, or nil for any other method.
    var textComparison: ((String, String) -> ComparisonResult)? {
        switch name {
        case "caseInsensitiveCompare:":
            { first, second in
                switch StringFolding.compare(first, second, options: .caseInsensitive) {
                case .ascending: .orderedAscending
                case .descending: .orderedDescending
                case .equal: .orderedSame
                }
            }
        case "localizedCompare:": { $0.compare($1, locale: .current) }
        case "localizedCaseInsensitiveCompare:":
            { $0.compare($1, options: .caseInsensitive, locale: .current) }
        case "localizedStandardCompare:":
            { $0.compare($1, options: [.caseInsensitive, .numeric], locale: .current) }
        default: nil
        }
    }
}
