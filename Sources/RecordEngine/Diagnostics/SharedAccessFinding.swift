import Foundation
import RecordModel
import RecordStorage
import RecordWire

/// Finds out what decides about a record of somebody else's zone: which share it belongs to, and what the user is to that.
struct SharedAccessFinding {
    typealias Verdict = AccessFinding.Verdict

    private let names: AccessNames
    private let zone: ZoneRow
    private let tenant: Tenant
    private let reader: any StoreReader
    private let now: Int64

    init(_ names: AccessNames, _ zone: ZoneRow, tenant: Tenant, reader: any StoreReader, now: Int64) {
        self.names = names
        self.zone = zone
        self.tenant = tenant
        self.reader = reader
        self.now = now
    }

    private var who: String { names.who }
    private var owner: String { names.owner }

    func verdict() throws -> Verdict {
        let hierarchy = try ShareHierarchy(zone: zone, reader)
        guard let share = try hierarchy.share(of: names.record) else { return try notShared(hierarchy) }
        let access = ZoneAccess(zone: zone, visitor: .participant(names.user.recordName))
        let members = try ShareMembers(access, hierarchy, reader)
        var permission = try members.permission(ofRecordNamed: names.record)
        // The share itself is changed by those who manage it.
        if share.name.isExactly(names.record), members.participant(of: share.name)?.role != .administrator {
            permission = min(permission, .read)
        }
        let (participant, byAddress) = try participant(of: share)
        let what = words(for: share)
        guard permission == .none else {
            let deed = permission == .write ? "may read and change" : "may read, and not change,"
            let way = participant?.role == .visitor ? "came in by the link" : "takes part"
            let since = participant.map { " since \(Self.day($0.addedAt))" } ?? ""
            return Verdict(
                permission: permission, reason: .participant,
                sentence: "\(who) \(deed) \(names.it): \(owner) shares \(what), and \(who) \(way)\(since).",
                share: share.name)
        }
        let (reason, because) = refusal(participant, byAddress, share, what)
        return Verdict(
            permission: .none, reason: reason, sentence: "\(who) cannot see \(names.it): \(because).",
            share: share.name)
    }

    /// What is shared, as the owner sees it.
    private func words(for share: ShareRow) -> String {
        guard let root = share.root else { return "the zone \(names.zone)" }
        return root == names.record || share.name == names.record ? "it" : "'\(root.prefix(64))' above it"
    }

    /// The user's part in a share, also one that only an address names: then nobody has accepted it.
    private func participant(of share: ShareRow) throws -> (row: ParticipantRow?, byAddress: Bool) {
        let rows = try reader.participants(ofShare: share.name, in: share.zone)
        let own = rows.first { $0.user == names.user.recordName }
        if let own, own.status != .removed, own.status != .requested { return (own, false) }
        if let address = try ResolvedLink.address(of: names.user.recordName, tenant, reader),
            let row = rows.first(where: { $0.user == nil && $0.address == address && $0.status == .invited })
        {
            return (row, true)
        }
        return (own, false)
    }

    private func refusal(
        _ row: ParticipantRow?, _ byAddress: Bool, _ share: ShareRow, _ what: String
    ) -> (AccessExplanation.Reason, String) {
        let link = share.hasEnded(at: now) ? "; its link has ended" : ""
        let open = "its link is open to everybody who has it, and \(who) has not accepted it\(link)"
        switch row?.status {
        case .accepted:
            return (
                .permissionNone,
                "\(who) takes part in what \(owner) shares (\(what)) with the permission NONE"
            )
        case .invited:
            let day = row.map { " on \(Self.day($0.addedAt))" } ?? ""
            let way = byAddress ? " by mail address" : ""
            return (
                .invited,
                "\(owner) shares \(what) and invited \(who)\(way)\(day), and \(who) has not accepted\(link)"
            )
        case .unsubscribed:
            return (.left, "\(owner) shares \(what), and \(who) left; its link lets \(who) back in\(link)")
        case .blocked: return (.blocked, "\(owner) shares \(what) and has blocked \(who)")
        case .removed, .requested, nil: break
        }
        if share.publicPermission != .none { return (.notInvited, "\(owner) shares \(what); \(open)") }
        switch row?.status {
        case .removed: return (.removed, "\(owner) shares \(what) and removed \(who)")
        case .requested:
            return (
                .requested, "\(owner) shares \(what), and has not answered \(who), who asked to be let in"
            )
        default: return (.notInvited, "\(owner) shares \(what) with others, and has not invited \(who)")
        }
    }

    /// How many records above one are named.
    private static let namedAbove = 4

    private func notShared(_ hierarchy: ShareHierarchy) throws -> Verdict {
        var above: [String] = []
        var next = try hierarchy.parent(of: names.record)
        while let name = next, above.count < Self.namedAbove, !above.contains(name) {
            above.append(name)
            next = try hierarchy.parent(of: name)
        }
        let chain = above.map { "'\($0.prefix(64))'" }.joined(separator: ", ")
        let parents =
            chain.isEmpty ? "no record is above it" : "what is above it (\(chain)) is not shared either"
        return Verdict(
            permission: .none, reason: .notShared,
            sentence:
                "\(who) cannot see \(names.it): \(owner) shares neither it nor the zone \(names.zone), and \(parents)."
        )
    }

    /// The day of a time, in UTC.
    private static func day(_ milliseconds: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
        return date.formatted(.iso8601.year().month().day())
    }
}
