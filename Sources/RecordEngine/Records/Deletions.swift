import RecordModel
import RecordStorage

/// Deleting records, with those that go when they go.
///
/// All that goes is found and checked as one set before anything of it goes: the deletions of a request have no order, so a
/// hierarchy can be named from its root down, and the target of a VALIDATE reference before its holder. What has to stay
/// takes its deletion back alone, and with it all that counted on it.
///
/// Nobody can keep others from deleting what is theirs: a VALIDATE reference holds back those alone who may read and
/// change the record that holds it, and a cascade that grows beyond its bound by records that the caller may not change
/// leaves the rest of them where they are. A DELETE_SELF reference takes its record along, whoever
/// made it: it says so itself. CloudKit's documentation knows no exception of either kind, nor a rule for public
/// databases.
///
/// ```swift
/// var deletions = Deletions(zone: zone, store: store, rights: rights, schema: schema)
/// try deletions.add(root, for: 0)
/// try deletions.add(child, for: 1)
/// try deletions.run()
/// deletions.refusals  // the errors by the numbers that were given
/// ```
struct Deletions {
    let zone: ZoneRow
    let store: any StoreWriter
    /// What the caller may do, and the types that it depends on.
    let rights: AccessRights
    let schema: Schema
    /// Who keeps the last states of what goes; nil where nothing should be left of it.
    var keeper: VersionKeeper?
    /// What may be written of last states that are kept; nil for any number of bytes.
    var budget: WriteBudget?
    /// What is shared with the caller, in somebody else's zone.
    let members: ShareMembers?
    /// What keeps the zone's shares in step; nil where nothing can be shared.
    let shares: ShareKeeper?
    /// What holds deletions back, by the numbers that they were added with.
    private(set) var refusals: [Int: ServiceError] = [:]

    /// A record that goes.
    private struct Node {
        let row: RecordRow
        /// The records that go with it.
        var takes: [Int] = []
        /// The VALIDATE references to it that count, of records that are to go too.
        var holders: [(node: Int, field: String)] = []
        /// One of a record that stays.
        var outsider: ReferrerRow?
        var isChecked = false
        /// Whether the budget has its last state.
        var isCounted = false
    }

    private var nodes: [Node] = []
    private var places: [ExactText: Int] = [:]
    /// The records that were asked for, in the order in which they were added.
    private var roots: [(number: Int, node: Int)] = []

    /// How many records the store is told of at once, before it is asked.
    private static let portion = 500

    init(
        zone: ZoneRow, store: any StoreWriter, rights: AccessRights, schema: Schema,
        keeper: VersionKeeper? = nil, budget: WriteBudget? = nil, members: ShareMembers? = nil,
        shares: ShareKeeper? = nil
    ) {
        self.zone = zone
        self.store = store
        self.rights = rights
        self.schema = schema
        self.keeper = keeper
        self.budget = budget
        self.members = members
        self.shares = shares
    }

    /// Adds a record, which is there, and all that goes with it.
    ///
    /// - Throws: `QUOTA_EXCEEDED` where that is too much, and then nothing was added; `StorageError`.
    mutating func add(_ row: RecordRow, for number: Int) throws {
        if let known = places[ExactText(row.name)] {
            roots.append((number, known))
            return
        }
        let first = nodes.count
        do {
            try checkRoom(for: row)
            append(row)
            var next = first
            while next < nodes.count {
                try follow(next)
                next += 1
            }
        } catch {
            for node in nodes[first...] { places[ExactText(node.row.name)] = nil }
            nodes.removeSubrange(first...)
            throw error
        }
        roots.append((number, first))
    }

    /// Deletes what nothing holds back; ``refusals`` then has the others.
    mutating func run() throws {
        repeat { try settle() } while try !count()
        let going = reach()
        try shares?.noteDeletions(of: going.map { nodes[$0].row })
        for index in going { try delete(nodes[index].row) }
    }

    // MARK: Finding what goes

    private mutating func append(_ row: RecordRow) {
        var row = row
        // Ten thousand bodies of a megabyte each are not kept.
        row.body = []
        places[ExactText(row.name)] = nodes.count
        nodes.append(Node(row: row))
    }

    /// Finds what goes with a record.
    private mutating func follow(_ index: Int) throws {
        let referrers = try store.referrers(
            to: nodes[index].row.name, in: zone.id, action: .deleteSelf,
            limit: Limits.deletedRecordsPerRequest)
        for start in stride(from: 0, to: referrers.count, by: Self.portion) {
            let portion = referrers[start..<min(start + Self.portion, referrers.count)]
            try store.foresee(
                recordsNamed: portion.map(\.name).filter { places[ExactText($0)] == nil }, in: zone.id)
            for referrer in portion {
                if let known = places[ExactText(referrer.name)] {
                    nodes[index].takes.append(known)
                } else if let row = try store.record(named: referrer.name, in: zone.id) {
                    guard try hasRoom(for: row) else { continue }
                    nodes[index].takes.append(nodes.count)
                    append(row)
                }
            }
        }
        try followShare(of: index)
    }

    /// The share of a record goes with it.
    private mutating func followShare(of index: Int) throws {
        guard let share = try shares?.hierarchy.share(ofRoot: nodes[index].row.name) else { return }
        if let known = places[ExactText(share.name)] {
            nodes[index].takes.append(known)
        } else if let row = try store.record(named: share.name, in: zone.id) {
            nodes[index].takes.append(nodes.count)
            append(row)
        }
    }

    /// Whether a record goes along that refers to one which goes.
    private func hasRoom(for row: RecordRow) throws -> Bool {
        guard nodes.count >= Limits.deletedRecordsPerRequest else { return true }
        // Others may have hung them there to make the deletion impossible.
        let origin = RecordOrigin(type: row.type, createdBy: row.createdBy)
        guard try rights.may(.write, recordNamed: row.name, origin, in: schema, members) else { return false }
        throw Self.tooMany
    }

    private func checkRoom(for row: RecordRow) throws(ServiceError) {
        guard nodes.count < Limits.deletedRecordsPerRequest else { throw Self.tooMany }
    }

    private static let tooMany = ServiceError(
        exceeding: "deletedRecordsPerRequest",
        "More than \(Limits.deletedRecordsPerRequest) records would be deleted by one request.",
        remedy: "Delete some of those that refer to others first.")

    /// What goes, in the order in which it was found.
    private func reach() -> [Int] {
        var isReached = Array(repeating: false, count: nodes.count)
        var order: [Int] = []
        func visit(_ index: Int) {
            guard !isReached[index] else { return }
            isReached[index] = true
            order.append(index)
        }
        var next = 0
        for root in roots {
            visit(root.node)
            while next < order.count {
                for index in nodes[order[next]].takes { visit(index) }
                next += 1
            }
        }
        assert(Set(order).count == order.count)
        return order
    }

    // MARK: Checking what holds it back

    /// Takes back the deletions that something holds back, until nothing does.
    private mutating func settle() throws {
        while true {
            let reached = reach()
            let isReached = Set(reached)
            // The node that keeps each of those from going that cannot go.
            var keepers: [Int: Int] = [:]
            for index in reached where try holder(of: index, in: isReached) != nil { keepers[index] = index }
            guard !keepers.isEmpty else { return }
            spread(&keepers, over: reached)
            for root in roots {
                guard let keeper = keepers[root.node], let holder = try holder(of: keeper, in: isReached)
                else { continue }
                refusals[root.number] = ServiceError(
                    .validatingReference,
                    "Field=\(holder.field), recordID=\(holder.name), title=Record delete would violate validating reference, rejecting update",
                    remedy: "Delete or change that record first.")
            }
            roots.removeAll { keepers[$0.node] != nil }
        }
    }

    /// Whatever takes along a record that cannot go cannot go either.
    private func spread(_ keepers: inout [Int: Int], over reached: [Int]) {
        var takers: [Int: [Int]] = [:]
        for index in reached { for taken in nodes[index].takes { takers[taken, default: []].append(index) } }
        var open = keepers.keys.sorted()
        while let index = open.popLast() {
            for taker in takers[index] ?? [] where keepers[taker] == nil {
                keepers[taker] = keepers[index]
                open.append(taker)
            }
        }
    }

    /// A VALIDATE reference that counts, of a record that stays when a set of them goes.
    private mutating func holder(of index: Int, in going: Set<Int>) throws -> ReferrerRow? {
        if !nodes[index].isChecked { try check(index) }
        if let outsider = nodes[index].outsider { return outsider }
        return nodes[index].holders.first { !going.contains($0.node) }.map {
            ReferrerRow(name: nodes[$0.node].row.name, field: $0.field, action: .validate)
        }
    }

    /// Finds who refers to a record with VALIDATE.
    private mutating func check(_ index: Int) throws {
        nodes[index].isChecked = true
        let referrers = try store.referrers(
            to: nodes[index].row.name, in: zone.id, action: .validate, limit: Limits.deletedRecordsPerRequest)
        for referrer in referrers {
            if let known = places[ExactText(referrer.name)] {
                let row = nodes[known].row
                guard try counts(row.name, RecordOrigin(type: row.type, createdBy: row.createdBy)) else {
                    continue
                }
                nodes[index].holders.append((known, referrer.field))
            } else if nodes[index].outsider == nil {
                guard !rights.isUnlimited else {
                    nodes[index].outsider = referrer
                    continue
                }
                guard let origin = try store.origin(ofRecordNamed: referrer.name, in: zone.id),
                    try counts(referrer.name, origin)
                else { continue }
                nodes[index].outsider = referrer
            }
        }
    }

    /// Whether a VALIDATE reference counts: those of somebody else hold nobody back.
    private func counts(_ name: String, _ origin: RecordOrigin) throws -> Bool {
        try rights.isUnlimited
            || rights.may(.read, recordNamed: name, origin, in: schema, members)
                && rights.may(.write, recordNamed: name, origin, in: schema, members)
    }

    // MARK: Letting it go

    /// Counts the last states that are kept of what goes.
    ///
    /// - Returns: whether all deletions are within the budget; those that are not were taken back.
    private mutating func count() throws -> Bool {
        guard keeper != nil, let budget else { return true }
        var isReached: Set<Int> = []
        for (position, root) in roots.enumerated() {
            var own: [Int] = []
            var open = [root.node]
            while let index = open.popLast() {
                guard isReached.insert(index).inserted else { continue }
                own.append(index)
                open += nodes[index].takes
            }
            own.removeAll {
                nodes[$0].isCounted || schema.type(numbered: nodes[$0].row.type)?.keeping == nil
            }
            let bytes = own.reduce(0) { $0 + nodes[$1].row.bodyBytes }
            do throws(ServiceError) {
                try budget.check(keeping: bytes)
            } catch {
                refusals[root.number] = error
                roots.remove(at: position)
                return false
            }
            budget.take(bytes)
            for index in own { nodes[index].isCounted = true }
        }
        return true
    }

    private func delete(_ row: RecordRow) throws {
        let sequence = try store.nextSequence()
        if let keeper, let type = schema.type(numbered: row.type) {
            try keeper.keep(deleted: row, of: type, in: zone, sequence: sequence)
        }
        try store.delete(row, in: zone, sequence: sequence)
    }
}
