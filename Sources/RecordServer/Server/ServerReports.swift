/// What a server tells of work that it does not know itself, at `/readyz` and `/metrics`.
public struct ServerReports: Sendable {
    /// What an operator has to look after, although requests are served: sentences that strangers may read.
    public var warnings: @Sendable () -> [String]
    /// Figures by the names of their metrics, without `stratus_`.
    public var gauges: @Sendable () -> [(name: String, value: Int64)]
    /// Figures that only grow while the process lives, by the names of their metrics, without `stratus_`.
    public var counters: @Sendable () -> [(name: String, value: Int)]

    /// Collects them.
    public init(
        warnings: @escaping @Sendable () -> [String] = { [] },
        gauges: @escaping @Sendable () -> [(name: String, value: Int64)] = { [] },
        counters: @escaping @Sendable () -> [(name: String, value: Int)] = { [] }
    ) {
        self.warnings = warnings
        self.gauges = gauges
        self.counters = counters
    }
}
