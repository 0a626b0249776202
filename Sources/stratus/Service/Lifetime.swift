import ArgumentParser

/// A length of time as it is written on the command line: `90s`, `15m`, `12h`, `30d`.
struct Lifetime: ExpressibleByArgument, Sendable, Equatable {
    /// The length.
    var milliseconds: Int64

    init?(argument: String) {
        let units: [Character: Int64] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let last = argument.last, let unit = units[last], let count = Int64(argument.dropLast()),
            count > 0
        else { return nil }
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        // A thousand years are for ever, and keep the sum with the clock far from overflowing.
        guard !overflow, product <= 365_000 * 86_400_000 else { return nil }
        milliseconds = product
    }
}
