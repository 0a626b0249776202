import RecordModel
import RecordStorage
import RecordStorageMemory
import RecordWire

/// What clients were told, compared with what is on the disk after each commit and after each answer.
///
/// Used by one thread, that of the simulation.
final class Ledger: @unchecked Sendable {
    struct Key: Hashable {
        var zone: Int64
        var name: String
    }

    /// How a request for a record with a name of the service stands.
    enum Making { case asked, done, refused }

    private let world: World
    /// What may be in a record: the numbers of operations, nil for no record. One, once its last client was told.
    private var possible: [Key: Set<Int?>] = [:]
    private var makings: [Int: Making] = [:]
    /// Which state a change tag stands for.
    private var states: [Int64: (key: Key, operation: Int?)] = [:]
    /// How many bytes the records of a user take.
    private(set) var bytes: [String: Int64] = [:]
    private var current: [Key: (sequence: Int64, operation: Int)] = [:]

    init(_ world: World) {
        self.world = world
        world.disk.onCommit = { [unowned self] in look() }
    }

    // MARK: What clients do and are told

    func begin(_ operation: Int?, on keys: [Key]) {
        for key in keys { possible[key, default: [nil]].insert(operation) }
    }

    func end(_ operation: Int?, on keys: [Key]) {
        for key in keys { possible[key] = [operation] }
        check(keys)
    }

    func refuse(_ operation: Int?, on keys: [Key], before: [Set<Int?>]) {
        for (key, before) in zip(keys, before) { possible[key] = before }
        check(keys)
    }

    func possible(_ key: Key) -> Set<Int?> { possible[key] ?? [nil] }

    /// A client read a record.
    func see(_ operation: Int?, of key: Key) {
        guard !possible(key).contains(operation) else { return }
        world.find("\(key.name) was read as \(text(operation)), and can only be \(text(possible(key)))")
    }

    func make(_ operation: Int, _ making: Making) {
        makings[operation] = making
        checkMakings()
    }

    // MARK: What is there

    private func check(_ keys: [Key]) {
        for key in keys {
            let found = current[key]?.operation
            guard !possible(key).contains(found) else { continue }
            world.find("\(key.name) is \(text(found)), and can only be \(text(possible(key)))")
        }
    }

    private func checkMakings() {
        var counts: [Int: Int] = [:]
        for state in current.values where makings[state.operation] != nil {
            counts[state.operation, default: 0] += 1
        }
        for (operation, making) in makings {
            let count = counts[operation] ?? 0
            switch making {
            case .asked where count <= 1, .done where count == 1, .refused where count == 0: break
            default: world.find("operation \(operation), which is \(making), made \(count) records")
            }
        }
    }

    /// Looks at everything on the disk.
    private func look() {
        var found: [Key: (sequence: Int64, operation: Int)] = [:]
        var bytes: [String: Int64] = [:]
        for zone in world.disk.zones {
            for entry in world.disk.moment.entries(ofZone: zone.id) {
                let key = Key(zone: entry.zone, name: entry.name)
                guard let body = entry.body else {
                    note(entry.sequence, key, nil)
                    continue
                }
                bytes[zone.owner, default: 0] += Int64(body.count)
                let operation: Int
                if let known = current[key], known.sequence == entry.sequence {
                    operation = known.operation
                } else {
                    operation = Self.operation(of: body)
                }
                note(entry.sequence, key, operation)
                found[key] = (entry.sequence, operation)
            }
        }
        current = found
        self.bytes = bytes
        check(Array(possible.keys))
        checkMakings()
        for (owner, bytes) in bytes where bytes > World.quota {
            world.find("\(owner) has \(bytes) bytes, and may have \(World.quota)")
        }
    }

    private func note(_ sequence: Int64, _ key: Key, _ operation: Int?) {
        if let known = states[sequence] {
            guard known.key != key || known.operation != operation else { return }
            world.find(
                "the change tag \(sequence) stands for \(known.key.name) as \(text(known.operation)) and for "
                    + "\(key.name) as \(text(operation))")
        } else {
            states[sequence] = (key, operation)
        }
    }

    /// The number of the operation that a record says it is of; 0 for the first one, which nobody looks at.
    static func operation(of body: [UInt8]) -> Int {
        let record = try? JSONReader.read(body + [UInt8(ascii: "}")])
        return operation(of: record ?? .null)
    }

    static func operation(of record: JSONValue) -> Int {
        Int(record.object?["fields"]?.object?["n"]?.object?["value"]?.int ?? -1)
    }

    /// The records of a zone by name, as they are in the end.
    func records(ofZone zone: Int64) -> [String: Int] {
        Dictionary(
            current.filter { $0.key.zone == zone }.map { ($0.key.name, $0.value.operation) },
            uniquingKeysWith: { first, _ in first })
    }

    private func text(_ operation: Int?) -> String { operation.map { "operation \($0)" } ?? "nothing" }
    private func text(_ operations: Set<Int?>) -> String {
        operations.map(text).sorted().joined(separator: " or ")
    }
}
