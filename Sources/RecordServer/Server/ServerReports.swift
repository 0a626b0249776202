/// What a server tells of work that it does not know itself, at `/readyz` and `/metrics`.
public struct ServerReports: Sendable {
    /// What an operator has to look after, although requests are served: sentences that strangers may read.
    public var warnings: @Sendable () -> [String]
    /// Figures by the names of their metrics, without `stratus_`.
    public var gauges: @Sendable () -> [(name: String, value: Int64)]

    /// Collects them.
    public init(
        warnings: @escaping @Sendable () -> [String] = { [] },
        gauges: @escaping @Sendable () -> [(name: String, value: Int64)] = { [] }
    ) {
        self.warnings = warnings
        self.gauges = gauges
    }
}
