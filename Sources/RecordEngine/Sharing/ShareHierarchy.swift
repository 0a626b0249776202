import RecordModel
import RecordStorage
import RecordWire

/// Which share each record of a zone belongs to, as long as one read or write lasts.
///
/// A zone's share has all of its records. A share of a record has that one, which is its root, and those below it, as far as the
/// next root: what is above a root does not count.
final class ShareHierarchy {
    let zone: ZoneRow
    private let reader: any StoreReader
    /// The shares by their names and by their roots; all of them where they are few.
    private var byName: [ExactText: ShareRow] = [:]
    private var byRoot: [ExactText: ShareRow] = [:]
    private var knowsAll: Bool
    /// The shares of records that were looked at, by the records' names.
    private var found: [ExactText: ShareRow?] = [:]

    /// How many shares are read at once; those of zones with more are looked up one by one.
    private static let few = 64

    /// - Parameter isShareable: whether the zone is of a database that can share: a private one.
    init(zone: ZoneRow, isShareable: Bool = true, _ reader: any StoreReader) throws {
        self.zone = zone
        // Who is above whom is not encrypted.
        self.reader = SealedStore.base(of: reader)
        knowsAll = true
        guard isShareable, zone.isTracked else { return }
        let shares = try reader.shares(in: zone.id, limit: Self.few + 1)
        knowsAll = shares.count <= Self.few
        for share in shares { add(share) }
    }

    private func add(_ share: ShareRow) {
        byName[ExactText(share.name)] = share
        if let root = share.root { byRoot[ExactText(root)] = share }
    }

    /// Whether nothing of the zone is shared.
    var isEmpty: Bool { byName.isEmpty }

    /// The share that has all records of the zone.
    var zoneShare: ShareRow? {
        byName[ExactText(RecordInput.zoneShareName)].flatMap { $0.root == nil ? $0 : nil }
    }

    /// Visits all shares of the zone until one is found that satisfies a condition.
    func contains(where isWanted: (ShareRow) throws -> Bool) throws -> Bool {
        if knowsAll { return try byName.values.contains(where: isWanted) }
        var last = ""
        while true {
            let shares = try reader.shares(in: zone.id, after: last, limit: Self.few)
            if try shares.contains(where: isWanted) { return true }
            guard let end = shares.last else { return false }
            last = end.name
        }
    }

    /// The share of a name.
    func share(named name: String) throws -> ShareRow? {
        if let share = byName[ExactText(name)] { return share }
        guard !knowsAll, let share = try reader.share(named: name, in: zone.id) else { return nil }
        add(share)
        return share
    }

    /// The share whose root a record is.
    func share(ofRoot name: String) throws -> ShareRow? {
        if let share = byRoot[ExactText(name)] { return share }
        guard !knowsAll, let share = try reader.share(ofRoot: name, in: zone.id) else { return nil }
        add(share)
        return share
    }

    /// The share that a record belongs to: also one whose own record it is.
    func share(of name: String) throws -> ShareRow? {
        guard !isEmpty else { return nil }
        if let zoneShare { return zoneShare }
        if let share = try share(named: name) { return share }
        return try share(ofMember: name, parent: nil)
    }

    /// The share that a record belongs to, whose record above is known.
    func share(of name: String, below parent: String?) throws -> ShareRow? {
        guard !isEmpty else { return nil }
        if let zoneShare { return zoneShare }
        if let share = try share(named: name) { return share }
        return try share(ofMember: name, parent: .some(parent))
    }

    private func share(ofMember name: String, parent: String??) throws -> ShareRow? {
        var path: [ExactText] = []
        var next = name
        var given = parent
        var share: ShareRow?
        while true {
            let key = ExactText(next)
            if given == nil, let known = found[key] {
                share = known
                break
            }
            path.append(key)
            if let own = try self.share(ofRoot: next) {
                share = own
                break
            }
            guard path.count <= Limits.parentsPerRequest else {
                throw ServiceError(
                    exceeding: "parentsPerRequest",
                    "Too many records are above '\(name)' to see what shares it.",
                    remedy: "Make the hierarchy less deep.")
            }
            let above: String?
            if let known = given { above = known } else { above = try self.parent(of: next) }
            given = nil
            // A circle that was stored by an earlier version belongs to nothing.
            guard let above, !path.contains(ExactText(above)) else { break }
            next = above
        }
        for key in path { found[key] = .some(share) }
        return share
    }

    /// The record above another one; nil where there is none.
    func parent(of name: String) throws -> String? {
        var parent: String?
        _ = try reader.body(ofRecordNamed: name, in: zone.id) {
            parent = try RecordBody.relations(of: $0).parent
        }
        return parent
    }

    /// The names of all records of a hierarchy below one of them, itself first, as far as the next root.
    ///
    /// - Parameter most: the most names.
    /// - Returns: nil where there are more.
    func members(below root: String, atMost most: Int) throws -> [String]? {
        try descend(from: root, atMost: most) { try share(ofRoot: $0) == nil }
    }

    /// Whether the root of a share is below a record; nil where more are below it than are looked at.
    func hasRoot(below name: String, atMost most: Int) throws -> Bool? {
        var hasRoot = false
        let names = try descend(from: name, atMost: most) { below in
            hasRoot = try hasRoot || share(ofRoot: below) != nil
            return !hasRoot
        }
        return hasRoot ? true : names.map { _ in false }
    }

    /// A record and those below it; nil where they are more than are wanted.
    ///
    /// - Parameter isWanted: whether a record is taken, with those below it.
    private func descend(
        from root: String, atMost most: Int, where isWanted: (String) throws -> Bool
    ) throws -> [String]? {
        var names = [root]
        var seen: Set<ExactText> = [ExactText(root)]
        var next = 0
        while next < names.count {
            let referrers = try reader.referrers(
                to: names[next], in: zone.id, action: .validate, limit: most + 1)
            for referrer in referrers where referrer.field == "___parent" {
                guard seen.insert(ExactText(referrer.name)).inserted, try isWanted(referrer.name) else {
                    continue
                }
                names.append(referrer.name)
                guard names.count <= most else { return nil }
            }
            next += 1
        }
        return names
    }

    // MARK: What a write changes

    /// Takes in a share that was stored.
    func store(_ share: ShareRow) {
        add(share)
        found = [:]
    }

    /// Takes a share out that is there no more.
    func remove(_ share: ShareRow) {
        byName[ExactText(share.name)] = nil
        if let root = share.root { byRoot[ExactText(root)] = nil }
        found = [:]
    }

    /// Forgets which shares records belong to, since one of them was moved.
    func forgetMembers() { found = [:] }
}
