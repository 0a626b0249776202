/// One thing that an inspection of a store found.
public struct StoreFinding: Sendable, Equatable {
    /// How bad it is.
    public enum Severity: String, Sendable, Comparable {
        /// As it should be.
        case good
        /// Worth knowing; nothing is lost.
        case warning
        /// Wrong: some requests fail or answer too little.
        case problem

        public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .good: 0
            case .warning: 1
            case .problem: 2
            }
        }
    }

    /// The check that found it, a name that does not change between versions.
    public var check: String
    /// How bad it is.
    public var severity: Severity
    /// What was found, in a sentence.
    public var message: String
    /// What to do about it.
    public var remedy: String?
    /// Whether `stratus doctor --repair` can repair it.
    public var isRepairable: Bool

    /// Creates a finding.
    public init(
        _ check: String, _ severity: Severity, _ message: String, remedy: String? = nil,
        isRepairable: Bool = false
    ) {
        self.check = check
        self.severity = severity
        self.message = message
        self.remedy = remedy
        self.isRepairable = isRepairable
    }
}
