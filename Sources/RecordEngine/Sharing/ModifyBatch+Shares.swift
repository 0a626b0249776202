import RecordModel
import RecordStorage
import RecordWire

extension ModifyBatch {
    /// Saves the record of a share, and what the request says of it besides.
    mutating func saveShare(
        _ operation: RecordOperation, at position: Int, in zone: ZoneRow, _ suffix: [UInt8]
    ) throws {
        var operation = operation
        operation.record.recordType = RecordInput.shareType
        guard operation.type != .restore, operation.record.parent == nil else {
            throw ServiceError(.badRequest, "A share has neither a 'parent' nor earlier versions.")
        }
        let target = try target(of: operation, in: zone)
        let share = try share(of: target)
        let terms = operation.record.shareTerms ?? ShareTerms()
        let work = ShareSave(scope: scope, zone: zone, name: target.name, terms: terms, existing: share)
        var root = share?.root
        if root == nil { root = terms.root?.name }
        try work.check(savesRoot: isSaved(root))
        // The link of a hierarchy is its root's.
        operation.record.createsShortGUID =
            context.access == nil && target.name.isExactly(RecordInput.zoneShareName)
        var save = Save(
            scope: scope, position: position, zone: zone, name: target.name, existing: target.stored,
            unchangedUser: nil)
        let body = try save.run(operation)
        saved.insert(ExactText(target.name))
        try work.run(at: try store.lastSequence())
        if share == nil { try rewriteItem(ofRecordNamed: root, in: zone) }
        try writeShare(body, named: target.name, operation, at: position, suffix)
    }

    private func isSaved(_ root: String?) -> Bool { root.map { saved.contains(ExactText($0)) } ?? false }

    /// The share whose record an operation is about; nil for one that is yet to be made.
    private func share(of target: Target) throws -> ShareRow? {
        let share = try scope.shares.hierarchy.share(named: target.name)
        if let stored = target.stored, share == nil {
            throw ServiceError(
                .badRequest,
                "The record '\(stored.name.prefix(64))' is not a share; a record's type cannot change.")
        }
        try checkManages(share)
        return share
    }

    private mutating func writeShare(
        _ body: [UInt8], named name: String, _ operation: RecordOperation, at position: Int, _ suffix: [UInt8]
    ) throws {
        let share = try scope.answers.suffix(ofRecordNamed: name) ?? []
        let (scope, whole) = (scope, suffix + share)
        try items.write(at: position) { try scope.write(body, operation, whole, isReadable: true, to: &$0) }
        outcomes[position] = .saved(name: operation.record.recordName == nil ? name : nil)
    }

    /// Refuses the changes of a share by others than those who manage it.
    private func checkManages(_ share: ShareRow?) throws(ServiceError) {
        let manages = share.map { scope.answers.manages($0) } ?? (context.access == nil)
        guard manages else {
            throw ServiceError(
                .accessDenied, "Only the owner of a share and its administrators change it.",
                remedy: "Delete the share's record in the shared database to leave it.")
        }
    }

    /// Answers a record again that the request saved, since it was given a share meanwhile.
    private mutating func rewriteItem(ofRecordNamed name: String?, in zone: ZoneRow) throws {
        guard let name else { return }
        let position = request.operations.indices.first {
            !request.operations[$0].type.isDelete && outcomes[$0]?.isSaved == true
                && request.operations[$0].record.recordName?.isExactly(name) == true
        }
        guard let position, let row = try store.record(named: name, in: zone.id) else { return }
        let (scope, operation, suffix) = (scope, request.operations[position], context.zoneSuffix(zone.name))
        try items.rewrite(at: position) {
            try scope.write(row.body, operation, suffix, isReadable: true, to: &$0)
        }
    }

    /// Refuses a record that names a share which is not its own, and does not become it in the same request.
    func checkShareName(of position: Int, _ order: SaveOrder) throws {
        let record = request.operations[position].record
        guard let share = record.share else { return }
        if let name = record.recordName {
            let own = try scope.shares.hierarchy.share(ofRoot: name)
            let isComing = order.shares.contains {
                let operation = request.operations[$0].record
                return operation.recordName?.isExactly(share) == true
                    && operation.shareTerms?.root?.name.isExactly(name) == true
            }
            if isComing || own?.name.isExactly(share) ?? false { return }
        }
        var error = ServiceError(
            .badRequest,
            "The record names the share '\(share.prefix(64))', which is not a share of this record.",
            remedy: "Save the share in the same request, with the record as its 'forRecord'.")
        error.nativeCode = NativeCode.invalidArguments
        throw error
    }

    /// Refuses participants what only the owner may do: to delete the root of a share.
    func checkIsChangeable(_ existing: RecordRow, _ operation: RecordOperation) throws {
        guard let members = scope.members, operation.type.isDelete else { return }
        guard try members.hierarchy.share(ofRoot: existing.name) == nil else {
            throw ServiceError(
                .accessDenied, "The root of a share is its owner's to delete.",
                remedy: "Delete the share's record to leave the share.")
        }
    }

    /// Ends what a deletion ends besides the record: a share for everybody where its owner deletes it, or for the caller alone.
    ///
    /// - Returns: whether the caller left a share, whose record stays.
    func leave(_ name: String) throws -> Bool {
        guard let members = scope.members, let share = try scope.shares.hierarchy.share(named: name) else {
            return false
        }
        guard let row = members.participant(of: share.name), row.status == .accepted else { return false }
        try scope.shares.lose(row, share, as: .unsubscribed)
        try scope.shares.retag(share)
        return true
    }
}

extension ServiceError {
    /// A write by somebody who may look only.
    static func readersOnly(isReadable: Bool) -> ServiceError {
        ServiceError(
            .accessDenied,
            isReadable
                ? "The record is shared with you to look at: you may not change it."
                : "The record is not shared with you.",
            remedy: "Ask the owner of the share for the permission READ_WRITE.")
    }

    /// A link to a record that can have none.
    static let noLinks = ServiceError(
        .badRequest, "'createShortGUID' asks for the link of a record that cannot be shared.",
        remedy: "Keep what is to be shared in a custom zone of a private database.")

    /// A link that a participant asks for.
    static let ownersLinks = ServiceError(
        .accessDenied, "Only the owner of a zone makes links to its records.",
        remedy: "Save the record without 'createShortGUID'.")
}

extension IdempotentResult.Item {
    fileprivate var isSaved: Bool { if case .saved = self { true } else { false } }
}
