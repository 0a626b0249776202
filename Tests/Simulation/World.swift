import RecordEngine
import RecordModel
import RecordStorage
import TestSeeds

/// Nodes on one disk, a clock, and dice: everything that a run depends on.
///
/// Used by one thread, that of the simulation.
final class World: @unchecked Sendable {
    /// A node: the service in a process that may end and be started again.
    final class Node {
        var service: RecordService
        var store: SimulatedStore
        /// How often its process was started.
        var starts = 1

        init(service: RecordService, store: SimulatedStore) {
            self.service = service
            self.store = store
        }
    }

    let flaw: Flaw?
    let disk = Disk()
    private(set) var nodes: [Node] = []
    private var random: Random
    private var time: Int64 = 1_700_000_000_000
    /// Whether something may go wrong.
    var hasFaults = false
    private(set) var steps = 0
    private(set) var crashes = 0
    /// What is broken.
    private(set) var findings: [String] = []
    /// The choices that were made, so that two runs of one seed can be compared.
    private(set) var trace: UInt64 = 0xCBF2_9CE4_8422_2325

    static let quota: Int64 = 9_000

    init(seed: Seed, flaw: Flaw?) {
        self.flaw = flaw
        random = seed.random
        let count = random.int(1...2)
        for _ in 0..<count { nodes.append(start()) }
    }

    // MARK: Dice

    func int(_ range: ClosedRange<Int>) -> Int { random.int(range) }
    func oneIn(_ count: Int) -> Bool { random.oneIn(count) }
    func isFaulty(_ count: Int) -> Bool { hasFaults && random.oneIn(count) }

    func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    // MARK: Findings

    var isBroken: Bool { !findings.isEmpty }

    func find(_ finding: String) {
        if findings.count < 5 { findings.append("step \(steps): \(finding)") }
    }

    func note(_ number: Int) {
        trace = (trace ^ UInt64(bitPattern: Int64(number))) &* 0x100_0000_01B3
    }

    // MARK: Nodes

    private func start() -> Node {
        let store = SimulatedStore(disk, self)
        return Node(service: service(store), store: store)
    }

    private func service(_ store: SimulatedStore) -> RecordService {
        RecordService(
            store: store, secret: ServiceSecret(bytes: Array(repeating: 7, count: 32)),
            environment: ServiceEnvironment(
                now: { [unowned self] in
                    time += 1
                    return time
                }, random: { [unowned self] in bytes($0) }), quotas: StorageQuotas(perUser: Self.quota))
    }

    /// Some node that a client reaches.
    func anyNode() -> Node { nodes[int(0...nodes.count - 1)] }

    /// Tells all nodes that something was logged; a hint may be lost.
    func hint() { for node in nodes where !isFaulty(3) { node.store.hint() } }

    private func crash(_ node: Node) {
        crashes += 1
        node.starts += 1
        node.store.crash()
        node.store = SimulatedStore(disk, self)
        node.service = service(node.store)
    }

    // MARK: Steps

    /// Does something that can happen now.
    ///
    /// - Returns: whether there was anything.
    func step() -> Bool {
        let executor = SeededExecutor.shared
        let jobs = executor.count
        let own = nodes.map(\.store.steps)
        let all = own.reduce(jobs, +)
        guard all > 0 else { return false }
        steps += 1
        if isFaulty(250) {
            let index = int(0...nodes.count - 1)
            note(-index - 1)
            crash(nodes[index])
            return true
        }
        // Mostly moments; sometimes as long as it takes to forget a token.
        if oneIn(20) { time += Int64(oneIn(20) ? int(0...20_000) : int(0...50)) }
        var choice = int(0...all - 1)
        note(choice)
        note(all)
        if choice < jobs {
            executor.run(at: choice)
            return true
        }
        choice -= jobs
        for (node, steps) in zip(nodes, own) {
            if choice < steps {
                node.store.step(choice)
                return true
            }
            choice -= steps
        }
        return true
    }

    /// The end: nobody reads or writes any more.
    func end() {
        hasFaults = false
        for node in nodes { node.store.crash() }
    }

    /// Lets the nodes go, which know their world, when no task asks for one any more.
    func release() { nodes = [] }
}
