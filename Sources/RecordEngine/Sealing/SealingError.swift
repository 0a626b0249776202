/// Why encrypted fields cannot be sealed or opened. Its texts name no value and no key.
public struct SealingError: Error, Sendable, CustomStringConvertible {
    private enum Kind: String {
        case missing = "SEALING_KEY_MISSING"
        case wrong = "SEALING_KEY_WRONG"
        case damaged = "SEALING_DAMAGED"
    }

    private let kind: Kind
    /// What is wrong, in a sentence for the operator.
    public let sentence: String
    /// What to do about it.
    public let remedy: String
    /// What lies beneath.
    public let cause: (any Error)?

    private init(_ kind: Kind, _ sentence: String, remedy: String, cause: (any Error)? = nil) {
        self.kind = kind
        self.sentence = sentence
        self.remedy = remedy
        self.cause = cause
    }

    /// The error's name, which does not change between versions.
    public var code: String { kind.rawValue }

    public var description: String { "\(code): \(sentence) \(remedy)" }

    /// The master key could not be read.
    public static func missingKey(_ cause: any Error) -> SealingError {
        SealingError(
            .missing, "The master key of encrypted fields could not be read.",
            remedy: "Give the file with --master-key-file, or the key in STRATUS_MASTER_KEY.", cause: cause)
    }

    /// The database's key is wrapped by another master key.
    ///
    /// - Parameters:
    ///   - theirs: the short name of the master key that is needed.
    ///   - ours: that of the one that is there.
    public static func wrongKey(theirs: String, ours: String) -> SealingError {
        SealingError(
            .wrong,
            "The encrypted fields need the master key \(theirs), and the server has \(ours).",
            remedy:
                "Start with the former key, or with stratus.secret as it was; 'stratus key rotate' goes from one to another."
        )
    }

    /// A key or a value is not what was sealed here: changed, or taken from another place.
    static func damaged(_ what: String, cause: (any Error)? = nil) -> SealingError {
        SealingError(
            .damaged, "\(what) does not open: it was changed, or moved here from elsewhere.",
            remedy: "'stratus doctor' looks through the database; restore it from a backup.", cause: cause)
    }
}
