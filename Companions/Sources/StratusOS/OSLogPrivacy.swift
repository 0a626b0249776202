internal import Foundation

/// Whether a value is shown in a message.
///
/// By default numbers and Booleans are shown, and texts and objects are not, which is Apple's documented rule. What is
/// not shown is written as `<private>`, or with a mask as a hash that is equal for equal values of one process. Set
/// `STRATUS_LOG_PRIVATE=show` in the environment to see everything while developing.
public struct OSLogPrivacy: Equatable, Sendable {
    /// What stands in the place of a value that is not shown.
    public enum Mask: Hashable, Sendable {
        /// A hash, so that equal values can be told.
        case hash
        /// The same word for all.
        case none
    }

    private enum Kind { case auto, open, hidden }

    private let kind: Kind
    private let mask: Mask

    /// The rule for the value's type.
    public static var auto: OSLogPrivacy { OSLogPrivacy(kind: .auto, mask: .none) }
    /// The value is shown.
    public static var `public`: OSLogPrivacy { OSLogPrivacy(kind: .open, mask: .none) }
    /// The value is not shown.
    public static var `private`: OSLogPrivacy { OSLogPrivacy(kind: .hidden, mask: .none) }
    /// The value is not shown.
    public static var sensitive: OSLogPrivacy { OSLogPrivacy(kind: .hidden, mask: .none) }
    /// The rule for the value's type, with something else in the place of what is not shown.
    public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .auto, mask: mask) }
    /// The value is not shown.
    public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .hidden, mask: mask) }
    /// The value is not shown.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .hidden, mask: mask) }

    /// The value as it appears.
    ///
    /// - Parameter isScalar: whether it is of a type that is shown by default.
    func apply(to text: String, isScalar: Bool) -> String {
        switch kind {
        case .open: return text
        case .auto where isScalar: return text
        case .auto, .hidden:
            if Self.showsEverything { return text }
            // Hasher has a key of its own in each process, so that values cannot be guessed from hashes.
            return mask == .hash
                ? "<mask.hash: '\(String(UInt(bitPattern: text.hashValue), radix: 36))'>" : "<private>"
        }
    }

    private static let showsEverything =
        ProcessInfo.processInfo.environment["STRATUS_LOG_PRIVATE"] == "show"
}
