import RecordWire

/// The records that a request saves, and which of them earlier operations count on: a VALIDATE reference may point at a
/// record that only a later operation makes.
///
/// One object for a request, which its batch and all its saves share.
final class LaterSaves {
    private let request: RecordsModifyRequest
    /// The records of later operations that are known to fail.
    private let distrusted: Set<String>
    /// What references were checked against before it was there, with the positions of the operations that count on it.
    private var counting: [String: [Int]] = [:]
    /// The positions of the operations that save records of known names; made when the first reference points ahead.
    private lazy var positions: [String: Int] = {
        var positions: [String: Int] = [:]
        for (position, operation) in request.operations.enumerated() where !operation.type.isDelete {
            if let name = operation.record.recordName { positions[name] = position }
        }
        return positions
    }()

    init(of request: RecordsModifyRequest, distrusted: Set<String>) {
        self.request = request
        self.distrusted = distrusted
    }

    /// Whether an operation at or after a position is to save a record; notes that somebody counts on it.
    func promise(_ name: String, from position: Int) -> Bool {
        guard let saver = positions[name], saver >= position, !distrusted.contains(name) else { return false }
        counting[name, default: []].append(position)
        return true
    }

    /// The records that were promised and are among those that failed, and all that count on them: they fail as well.
    ///
    /// - Parameter isMissing: whether there is no record of a name.
    func broken(among failed: [String], where isMissing: (String) throws -> Bool) rethrows -> Set<String> {
        var broken = Set(try failed.filter { try counting[$0] != nil && isMissing($0) })
        var open = Array(broken)
        while let name = open.popLast() {
            for position in counting[name] ?? [] {
                guard let dependent = request.operations[position].record.recordName,
                    counting[dependent] != nil, broken.insert(dependent).inserted
                else { continue }
                open.append(dependent)
            }
        }
        return broken
    }
}

/// Records that others were saved for, and that then failed: thrown to undo the batch and to run it without
/// counting on them.
struct BrokenPromise: Error {
    var names: Set<String>
}
