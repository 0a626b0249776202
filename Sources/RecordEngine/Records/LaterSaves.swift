import RecordWire

/// The records that a request saves, and which of them earlier operations count on: a VALIDATE reference may point at a
/// record that only a later operation makes.
///
/// One object for a request, which its batch and all its saves share.
final class LaterSaves {
    private let request: RecordsModifyRequest
    /// The records of later operations that are known to fail.
    private let distrusted: Set<String>
    /// What references were checked against before it was there.
    private(set) var promised: Set<String> = []
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
        promised.insert(name)
        return true
    }
}

/// Records that others were saved for, and that then failed: thrown to undo the batch and to run it without
/// counting on them.
struct BrokenPromise: Error {
    var names: Set<String>
}
