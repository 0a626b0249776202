import RecordModel
import RecordWire

/// Those live queries that are told the same of a change, so that it is written once for all of them.
struct LiveAudience: Hashable {
    /// The database, the query, and the condition that the callers' rights make of it.
    private let fingerprint: String
    private let reach: AccessRights.Reach
    private let desiredKeys: [String]?
    private let numbersAsStrings: Bool
    private let zone: [UInt8]

    /// nil where each is told something of its own: addresses of files are made for their caller.
    init?(_ plan: QueryPlan, _ fingerprint: String, _ context: CallContext) {
        guard !plan.type.hasAssets else { return nil }
        self.fingerprint = fingerprint
        reach = context.rights.reach(of: .read, in: plan.type)
        desiredKeys = plan.request.desiredKeys
        numbersAsStrings = plan.request.numbersAsStrings
        zone = context.zoneSuffix("")
    }
}

extension LivePlan {
    /// What a change means for the result, as the first of the same audience has written it.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - verdict: what the condition says of it.
    ///   - id: makes the id of the event.
    func sharedEvent(
        of change: FollowedChange, _ verdict: ChangeVerdict, id: () -> String
    ) throws -> LiveEvent? {
        func made() throws -> LiveEvent? {
            try event(of: change, verdict).map { LiveEvent(name: $0, id: id(), json: $1) }
        }
        guard let audience else { return try made() }
        return try change.event(for: audience, made)
    }
}
