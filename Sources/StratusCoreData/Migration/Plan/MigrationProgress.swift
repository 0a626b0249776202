/// How far a migration is.
public struct MigrationProgress: Sendable, Hashable {
    /// From 0 to 1; an estimate, since statements take their time.
    public var fraction: Double
    /// What is being done.
    public var step: String

    /// Keeps both.
    public init(fraction: Double, step: String) {
        self.fraction = fraction
        self.step = step
    }
}
