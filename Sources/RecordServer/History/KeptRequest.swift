import RecordEngine
public import RecordModel
public import RecordStorage

/// A request as the server remembers it: what the log tells, and an error with its remedy and cause.
///
/// Nothing of what records hold is in it, no token and no address of a client.
public struct KeptRequest: Sendable, Hashable {
    /// Its position among all requests that were remembered; newer ones have greater numbers.
    public var sequence: UInt64
    /// The id that its answer and its errors carry.
    public var id: RequestID
    /// When it came, in milliseconds since 1970.
    public var time: Int64
    /// The HTTP method.
    public var method: String
    /// The endpoint, or the name of the part of the server that answered.
    public var route: String
    /// The address, where no endpoint answered; shortened.
    public var path: String?
    /// The container.
    public var container: String?
    /// The container's environment.
    public var environment: CloudEnvironment?
    /// The database.
    public var scope: DatabaseScope?
    /// The HTTP status.
    public var status: Int
    /// The error's code, where it failed as a whole.
    public var code: String?
    /// The record name of the user who sent it.
    public var user: String?
    /// The program that sent it, as it names itself; shortened.
    public var userAgent: String?
    /// The record type that a query asked for, or the first one that was saved.
    public var recordType: String?
    /// From the head of the request to the answer.
    public var milliseconds: Double
    /// The length of the request's body.
    public var bytesIn: Int
    /// The length of the answer's body; 0 where it was a stream.
    public var bytesOut: Int
    /// How many records were answered or changed.
    public var items: Int
    /// How many of them failed.
    public var failedItems: Int
    /// How a query found its rows.
    public var plan: ScanPlan?
    /// What was wrong, as the client saw it.
    public var reason: String?
    /// What to do about it, as the client saw it.
    public var remedy: String?
    /// The underlying cause, which the client did not see.
    public var cause: String?
    /// The first of the records or zones that failed.
    public var itemFailures: [KeptItemFailure]

    /// Whether it failed, as a whole or in part.
    public var isFailed: Bool { status >= 400 || failedItems > 0 }
}

/// A record or zone that failed within a request.
public struct KeptItemFailure: Sendable, Hashable {
    /// The record's or the zone's name, where the request gave one.
    public var name: String?
    /// The error's code.
    public var code: String
    /// What was wrong.
    public var reason: String
    /// What to do about it.
    public var remedy: String?

    /// Between the parts of a failure, and between failures: characters that texts have no use for.
    private static let unitSeparator: Character = "\u{1F}"
    private static let recordSeparator: Character = "\u{1E}"

    /// Failures as one text.
    static func text(_ failures: [ItemFailure]) -> String {
        failures.map { failure in
            [
                failure.error.code.description, clean(failure.name ?? ""), clean(failure.error.reason),
                clean(failure.error.remedy ?? ""),
            ].joined(separator: String(unitSeparator))
        }.joined(separator: String(recordSeparator))
    }

    private static func clean(_ text: String) -> String {
        String(text.filter { $0 != unitSeparator && $0 != recordSeparator })
    }

    /// The failures of a text, which may be cut off somewhere.
    static func read(_ text: String) -> [KeptItemFailure] {
        text.split(separator: recordSeparator).compactMap { line in
            let parts = line.split(separator: unitSeparator, omittingEmptySubsequences: false).map(
                String.init)
            guard parts.count >= 3 else { return nil }
            return KeptItemFailure(
                name: parts[1].isEmpty ? nil : parts[1], code: parts[0], reason: parts[2],
                remedy: parts.count > 3 && !parts[3].isEmpty ? parts[3] : nil)
        }
    }
}
