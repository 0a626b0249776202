import RecordModel
import RecordStorage
import RecordWire

/// What operations of a request count on before it is so: the order of operations decides nothing, so what another one of
/// them is to do counts as done. At the end it has to be so.
///
/// - a VALIDATE reference may point at a record that a later operation makes;
/// - a record may have a parent that is below it until a later operation moves that one;
/// - DELETE_SELF references to a record may be too many until a later operation takes one away;
/// - a quota may be exceeded until the request's deletions are done.
///
/// What did not come true is doubted, and the request runs again without counting on it. One object for a request, which its
/// batch and all its saves share.
final class Promises {
    private let request: RecordsModifyRequest
    private let doubts: Doubts
    /// What references were checked against before it was there, with the positions of the operations that count on it.
    private var counting: [ExactText: [Int]] = [:]
    /// Records to which more refer than may.
    private var crowded: Set<ExactText> = []
    /// Records with children that were given another parent, and that one.
    private var moved: [(name: String, parent: String)] = []
    private var usesCredit = false
    private var freed: Int64 = 0
    private var chain = ParentChain()
    /// Records that were refused because they would be above themselves.
    private var circular: Set<ExactText> = []
    /// The positions of the operations that save records of known names; made when the first reference points ahead.
    private lazy var positions: [ExactText: Int] = {
        var positions: [ExactText: Int] = [:]
        for (position, operation) in request.operations.enumerated() where !operation.type.isDelete {
            if let name = operation.record.recordName { positions[ExactText(name)] = position }
        }
        return positions
    }()

    init(of request: RecordsModifyRequest, doubts: Doubts) {
        self.request = request
        self.doubts = doubts
    }

    // MARK: Counting on something

    /// Whether an operation at or after a position is to save a record; notes that somebody counts on it.
    func promise(_ name: String, from position: Int) -> Bool {
        let name = ExactText(name)
        guard let saver = positions[name], saver >= position, !doubts.records.contains(name) else {
            return false
        }
        counting[name, default: []].append(position)
        return true
    }

    /// Whether more may refer to a record for now than in the end.
    func mayCrowd(_ target: String) -> Bool {
        guard request.operations.count > 1, !doubts.crowded.contains(ExactText(target)) else { return false }
        crowded.insert(ExactText(target))
        return true
    }

    /// Notes that a record gets a parent, which another operation may still move.
    ///
    /// - Throws: `BAD_REQUEST` where the record would be above itself, and no other operation changes that.
    func move(_ name: String, under parent: String, in zone: ZoneRow, _ store: any StoreReader) throws {
        guard !parent.isExactly(name), !doubts.circular.contains(ExactText(name)) else {
            circular.insert(ExactText(name))
            throw ParentChain.circle(name)
        }
        // A record without children is above nobody. Of those that make up a circle, one is the last to be saved, and its
        // child has it as parent by then.
        guard try !store.referrers(to: name, in: zone.id, action: .validate, limit: 1).isEmpty else { return }
        guard doubts.parents || request.operations.count == 1 else { return moved.append((name, parent)) }
        guard try !chain.leads(from: parent, to: name, in: zone, store) else {
            circular.insert(ExactText(name))
            throw ParentChain.circle(name)
        }
    }

    /// Checks what a save adds, with the room that the request's deletions are to make.
    func check(
        _ quotas: StorageQuotas, growth: Int64, in zone: ZoneRow, _ context: CallContext,
        _ store: any StoreReader
    ) throws {
        do {
            try quotas.check(growth: growth, zone.database, context, store)
        } catch let error as ServiceError {
            guard doubts.credit != 0, request.operations.contains(where: \.type.isDelete) else { throw error }
            if let credit = doubts.credit {
                try quotas.check(growth: growth, freed: credit, zone.database, context, store)
            }
            usesCredit = true
        }
    }

    /// Does the request's deletions, and notes how much room they made where saves counted on it.
    func note(_ deletions: () throws -> Void, in zone: ZoneRow, _ store: any StoreReader) throws {
        guard usesCredit else { return try deletions() }
        let before = try store.usage(of: zone.database).bytes
        try deletions()
        freed = before - (try store.usage(of: zone.database).bytes)
    }

    // MARK: At the end

    /// Checks that everything came true.
    ///
    /// - Parameter failed: the records whose operations failed.
    /// - Throws: ``BrokenPromise`` with what did not; `StorageError`.
    func check(failed: [String], in zone: ZoneRow, _ scope: ModifyScope) throws {
        var broken = Doubts()
        broken.records = try brokenRecords(among: failed) {
            try scope.store.record(named: $0, in: zone.id) == nil
        }
        broken.crowded = try crowded.filter {
            try scope.store.referenceCount(to: $0.text, in: zone.id, action: .deleteSelf, besides: "")
                > Limits.deleteSelfReferencesPerTarget
        }
        broken.parents = try hasCircle(in: zone, scope.store)
        if usesCredit, let quotas = scope.quotas {
            do {
                // Whatever is stored now has to fit without any credit.
                try quotas.check(growth: 1, freed: 1, zone.database, scope.context, scope.store)
            } catch is ServiceError {
                broken.credit = doubts.credit == nil ? max(freed, 0) : 0
            }
        }
        guard broken != Doubts() else { return }
        broken.circular = circular
        throw BrokenPromise(doubts: broken)
    }

    /// The records that were promised and are among those that failed, and all that count on them: they fail as well.
    private func brokenRecords(
        among failed: [String], where isMissing: (String) throws -> Bool
    ) rethrows -> Set<ExactText> {
        var broken: Set<ExactText> = []
        for name in failed where counting[ExactText(name)] != nil {
            if try isMissing(name) { broken.insert(ExactText(name)) }
        }
        var open = Array(broken)
        while let name = open.popLast() {
            for position in counting[name] ?? [] {
                guard let name = request.operations[position].record.recordName else { continue }
                let dependent = ExactText(name)
                guard
                    counting[dependent] != nil, broken.insert(dependent).inserted
                else { continue }
                open.append(dependent)
            }
        }
        return broken
    }

    private func hasCircle(in zone: ZoneRow, _ store: any StoreReader) throws -> Bool {
        do {
            for (name, parent) in moved where try chain.leads(from: parent, to: name, in: zone, store) {
                return true
            }
            return false
        } catch is ServiceError {
            // Too many are above: the operation is told that cannot be checked.
            return true
        }
    }
}

/// What the operations of a request may not count on, as earlier runs of it have shown.
struct Doubts: Equatable {
    /// Records whose operations failed.
    var records: Set<ExactText> = []
    /// Records to which too many would refer.
    var crowded: Set<ExactText> = []
    /// Whether some record was above itself: then each is checked when it is saved.
    var parents = false
    /// Records that would be above themselves.
    var circular: Set<ExactText> = []
    /// How many bytes the request's deletions make free; nil where nobody knows yet.
    var credit: Int64?

    /// Doubts all that another one does.
    mutating func add(_ other: Doubts) {
        records.formUnion(other.records)
        crowded.formUnion(other.crowded)
        circular.formUnion(other.circular)
        parents = parents || other.parents
        if let credit = other.credit { self.credit = credit }
    }
}

/// Something that operations counted on did not come true: thrown to undo the batch and to run it without.
struct BrokenPromise: Error {
    var doubts: Doubts
}
