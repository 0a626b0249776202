/// How many earlier versions of a type's records are kept, and for how long.
public struct VersionKeeping: Hashable, Sendable {
    /// The most versions that are kept of one record, besides the one that it has.
    public let count: Int
    /// How long a version is kept after it was replaced or deleted, in days.
    public let days: Int

    /// What is kept where nothing else is said.
    public static let usual = VersionKeeping(trusted: 20, days: 30)

    /// The setting of so many versions for so many days; nil beyond `Limits.versionsPerRecord` and
    /// `Limits.versionDays`, or below 1.
    public init?(count: Int, days: Int) {
        guard 1...Limits.versionsPerRecord ~= count, 1...Limits.versionDays ~= days else { return nil }
        self.init(trusted: count, days: days)
    }

    private init(trusted count: Int, days: Int) {
        self.count = count
        self.days = days
    }

    /// How long a version is kept, in milliseconds.
    public var milliseconds: Int64 { Int64(days) * 86_400_000 }
}
