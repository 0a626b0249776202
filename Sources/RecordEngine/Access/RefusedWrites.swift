import RecordModel
import RecordStorage
import Synchronization

/// Writes of one request that the caller has no right to, of one record type.
struct RefusedWrite: Sendable {
    /// The first record's name; nil where the request gave none.
    var name: String?
    var count = 0
}

/// Tells the audit log whose writes were refused for want of a right.
///
/// Trying must not fill the log: of what one user is refused in an hour of one type, the first, second, fourth, eighth and so on
/// are logged, so the last entry names at least half of them. The log is written beside the request and holds up none.
final class RefusedWrites: Sendable {
    private struct Kind: Hashable {
        var tenant: Tenant
        var user: String
        var type: String
    }

    private struct State {
        var hour: Int64 = 0
        var counts: [Kind: Int] = [:]
    }

    private static let hourMilliseconds: Int64 = 3_600_000
    /// The most users and types that are told apart in an hour; those after them are counted together for each tenant.
    private static let mostKinds = 1_000
    /// The most bytes of a name that a row of the log has.
    private static let longestName = 100
    static let action = "record.refused"
    /// Whom the audit log names for it.
    private static let auditName = "rights"

    private let state = Mutex(State())

    /// Counts the refused writes of a request.
    ///
    /// - Parameters:
    ///   - refused: those of each record type; an empty name for a type that the request does not say.
    ///   - context: the request's.
    /// - Returns: what the log should have.
    func note(_ refused: [String: RefusedWrite], _ context: CallContext) -> [AuditRow] {
        if case .administrator = context.caller { return [] }
        let user = context.caller.userRecordName
        return refused.sorted { $0.key < $1.key }.compactMap { type, writes in
            var kind = Kind(tenant: context.tenant, user: user, type: type)
            let count = state.withLock { state -> Int? in
                let hour = context.now / Self.hourMilliseconds
                if hour != state.hour { state = State(hour: hour) }
                if state.counts[kind] == nil, state.counts.count >= Self.mostKinds {
                    kind = Kind(tenant: context.tenant, user: "", type: "")
                }
                let before = state.counts[kind] ?? 0
                let after = before + writes.count
                state.counts[kind] = after
                // Whether a power of two lies between them.
                return before.leadingZeroBitCount != after.leadingZeroBitCount ? after : nil
            }
            guard let count else { return nil }
            let name = kind.user.isEmpty ? "" : writes.name.map { " " + $0.prefix(Self.longestName) } ?? ""
            let often = count > 1 ? ", \(count) times in this hour" : ""
            return AuditRow(
                at: context.now, operatorName: Self.auditName, action: Self.action, tenant: context.tenant,
                subject: "\(kind.user.isEmpty ? "somebody" : kind.user): "
                    + "\(kind.type.isEmpty ? "a record" : String(type.prefix(Self.longestName)))\(name)\(often)",
                requestID: context.requestID)
        }
    }
}

extension RecordService {
    /// Has the audit log tell of writes that were refused, beside the request.
    func log(_ refused: [String: RefusedWrite], _ context: CallContext) {
        guard !refused.isEmpty else { return }
        let rows = refusedWrites.note(refused, context)
        guard !rows.isEmpty else { return }
        Task { [store] in
            // The request is answered; a full disk must not fail it for a row that operators look at.
            try? await store.write { store in
                for row in rows { try store.insert(row) }
            }
        }
    }
}
