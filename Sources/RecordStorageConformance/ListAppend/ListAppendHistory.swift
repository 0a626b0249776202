package import RecordStorage
import RecordWire
import Synchronization
package import TestSeeds

/// Clients that append to lists and read them, several in one transaction, over the nodes of a store.
package struct ListAppendHistory: Sendable {
    private let ground: Ground
    private let stores: [any RecordStore]
    private let moments = Moments()

    private static let listCount = 5

    private final class Moments: Sendable {
        private let last = Atomic(0)

        func next() -> Int { last.add(1, ordering: .sequentiallyConsistent).newValue }
    }

    private let stored = Counter()

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    /// How many transactions have been stored so far, of all that were run.
    package var storedCount: Int { stored.value.load(ordering: .relaxed) }

    private struct Refusal: Error {}

    /// Makes the ground.
    ///
    /// - Parameters:
    ///   - stores: the nodes.
    ///   - zone: where the lists are; another one for each history in the same store.
    package init(_ stores: [any RecordStore], zone: String = "Zone") async throws {
        self.stores = stores
        ground = try await Ground.make(stores[0], zone: zone)
    }

    /// Lets clients run at once, and checks what they saw.
    ///
    /// - Parameters:
    ///   - clients: how many run at once.
    ///   - count: how many transactions each does, one after the other.
    /// - Returns: what is wrong, and how many transactions had each outcome.
    package func run(clients: Int, transactions count: Int, _ seed: Seed) async throws -> (
        findings: [String], stored: Int, refused: Int, unknown: Int
    ) {
        let all = try await withThrowingTaskGroup(of: [ListTransaction].self) { group in
            for client in 0..<clients {
                group.addTask {
                    var random = Random(seed: seed.value &+ UInt64(client) &* 7_919)
                    var done: [ListTransaction] = []
                    for number in 0..<count {
                        let store = stores[random.int(0...stores.count - 1)]
                        done.append(
                            try await transaction(first: (client * count + number) * 4, store, &random))
                    }
                    return done
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let lists = try await end()
        return (
            ListAppendCheck(all, lists: lists).findings, all.count { $0.outcome == .stored },
            all.count { $0.outcome == .refused }, all.count { $0.outcome == .unknown }
        )
    }

    /// What the lists are in the end. A node whose sessions were ended notices by an error.
    private func end() async throws -> [Int: [Int]] {
        var lists: [Int: [Int]] = [:]
        let isRead = try await eventually {
            do {
                lists = try await stores[0].read(.short) { reader in
                    var lists: [Int: [Int]] = [:]
                    for list in 0..<Self.listCount { lists[list] = try values(list, reader) }
                    return lists
                }
                return true
            } catch let error as StorageError where error.isTemporary {
                return false
            }
        }
        guard isRead else { throw TestFailure("The store does not answer any more.") }
        return lists
    }

    private func transaction(
        first value: Int, _ store: any RecordStore, _ random: inout Random
    ) async throws -> ListTransaction {
        let isRead = random.oneIn(4)
        let isUndone = random.oneIn(8)
        let plan = (0..<random.int(1...4)).map { (list: random.int(0...Self.listCount - 1), append: $0) }
            .map { (list: $0.list, value: !isRead && random.oneIn(2) ? value + $0.append : nil) }
        let intended = plan.compactMap { step in
            step.value.map { ListTransaction.Step.append(list: step.list, value: $0) }
        }
        let began = moments.next()
        do {
            let steps =
                isRead
                ? try await store.read(.short) { reader in
                    try plan.map { .read(list: $0.list, values: try values($0.list, reader)) }
                }
                : try await store.write { writer in
                    let steps = try plan.map { step -> ListTransaction.Step in
                        guard let value = step.value else {
                            return .read(list: step.list, values: try values(step.list, writer))
                        }
                        try append(value, to: step.list, writer)
                        return .append(list: step.list, value: value)
                    }
                    if isUndone { throw Refusal() }
                    return steps
                }
            stored.value.add(1, ordering: .relaxed)
            return ListTransaction(steps, began: began, ended: moments.next())
        } catch is Refusal {
            return ListTransaction(intended, outcome: .refused, began: began, ended: moments.next())
        } catch let error as StorageError where error.isTemporary {
            return ListTransaction(
                intended, outcome: error.isOutcomeUnknown ? .unknown : .refused, began: began,
                ended: moments.next())
        }
    }

    private func values(_ list: Int, _ reader: any StoreReader) throws -> [Int] {
        guard let row = try reader.record(named: "list\(list)", in: ground.zone.id) else { return [] }
        let text = try JSONReader.read(row.body + [UInt8(ascii: "}")]).object?["values"]?.string ?? ""
        return text.split(separator: " ").compactMap { Int($0) }
    }

    private func append(_ value: Int, to list: Int, _ writer: any StoreWriter) throws {
        let name = "list\(list)"
        let values = try values(list, writer) + [value]
        var state = ground.record(name, sequence: try writer.nextSequence())
        let text = values.map(String.init).joined(separator: " ")
        state.body = Array("{\"recordName\":\"\(name)\",\"values\":\"\(text)\"".utf8)
        if let row = try writer.record(named: name, in: ground.zone.id) {
            try writer.update(row, with: state)
        } else {
            try writer.insert(state)
        }
    }
}
