import RecordModel
import RecordStorage
import RecordWire

/// In which order a request's saves are done: records first, then shares, so that each share finds its root.
struct SaveOrder {
    /// The positions of the operations that save ordinary records.
    private(set) var records: [Int] = []
    /// The positions of the operations that save shares.
    private(set) var shares: [Int] = []

    init(_ request: RecordsModifyRequest, _ scope: ModifyScope) throws {
        for (position, operation) in request.operations.enumerated() where !operation.type.isDelete {
            if try Self.isShare(operation, scope) {
                shares.append(position)
            } else {
                records.append(position)
            }
        }
        // Whether a record is shared with a participant, the records above it decide, which the request may have behind it.
        if scope.members != nil { records = Self.parentsFirst(records, request) }
    }

    private static func isShare(_ operation: RecordOperation, _ scope: ModifyScope) throws -> Bool {
        if operation.record.recordType == RecordInput.shareType { return true }
        guard let name = operation.record.recordName else { return false }
        return try scope.shares.hierarchy.share(named: name) != nil
    }

    private static func parentsFirst(_ positions: [Int], _ request: RecordsModifyRequest) -> [Int] {
        var byName: [ExactText: Int] = [:]
        for position in positions {
            if let name = request.operations[position].record.recordName {
                byName[ExactText(name)] = position
            }
        }
        var order: [Int] = []
        var isDone: Set<Int> = []
        for position in positions {
            var path = [position]
            while let parent = request.operations[path[path.count - 1]].record.parent,
                let next = byName[ExactText(parent)], !isDone.contains(next), !path.contains(next)
            {
                path.append(next)
            }
            for step in path.reversed() where isDone.insert(step).inserted { order.append(step) }
        }
        return order
    }
}
