import ArgumentParser
import RecordModel

/// A length of time that may be none: `0`, `90s`, `15m`, `12h`, `30d`.
struct GracePeriod: ExpressibleByArgument, Sendable, Equatable {
    /// The length.
    var milliseconds: Int64

    /// What a server waits.
    static let standard = GracePeriod(milliseconds: Int64(Limits.assetGraceSeconds) * 1_000)

    init(milliseconds: Int64) { self.milliseconds = milliseconds }

    init?(argument: String) {
        if ["0", "0s", "0m", "0h", "0d"].contains(argument) {
            milliseconds = 0
        } else if let lifetime = Lifetime(argument: argument) {
            milliseconds = lifetime.milliseconds
        } else {
            return nil
        }
    }

    var defaultValueDescription: String { "\(milliseconds / 3_600_000)h" }
}
