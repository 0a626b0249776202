import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSeeds

/// One run: clients, nodes, faults and crashes, all of it decided by a seed.
struct Simulation {
    struct Outcome {
        var findings: [String]
        var steps: Int
        var commits: Int
        var crashes: Int
        var trace: UInt64
    }

    /// Tasks that are under way.
    private final class Tasks: @unchecked Sendable {
        var left = 0

        func start(_ body: @escaping @Sendable () async -> Void) {
            left += 1
            Task.detached {
                await body()
                self.left -= 1
            }
        }
    }

    /// How many steps a run may take: more means that it stands still.
    private static let mostSteps = 200_000

    /// Runs a seed.
    ///
    /// Nodes look at the log once a second of the machine's clock while somebody waits for changes. A run takes some hundredths
    /// of that; one that was held up for so long, because others had the processor, is not what its seed says and is started over.
    static func run(_ seed: Seed, flaw: Flaw? = nil) -> Outcome {
        let start = ContinuousClock.now
        var outcome = runOnce(seed, flaw)
        var (attempt, begun) = (1, start)
        while attempt < 10, ContinuousClock.now - begun > .milliseconds(900) {
            begun = .now
            attempt += 1
            outcome = runOnce(seed, flaw)
        }
        return outcome
    }

    private static func runOnce(_ seed: Seed, _ flaw: Flaw?) -> Outcome {
        let world = World(seed: seed, flaw: flaw)
        let tasks = Tasks()
        do {
            try play(world, tasks, seed)
        } catch {
            world.find("\(error)")
        }
        world.end()
        SeededExecutor.shared.drain()
        world.release()
        return Outcome(
            findings: world.findings, steps: world.steps, commits: world.disk.commits, crashes: world.crashes,
            trace: world.trace)
    }

    private static func play(_ world: World, _ tasks: Tasks, _ seed: Seed) throws {
        let tenant = Tenant(container: try ContainerID("iCloud.simulated"), environment: .development)
        let ground = Ground(world, tenant)
        tasks.start { await ground.make() }
        finish(world, tasks)
        guard let receiver = ground.receiver, !world.isBroken else { return }

        let ledger = Ledger(world)
        let numbers = Editor.Numbers()
        world.hasFaults = true
        let mirror = Mirror(world, tenant, user: "alice")
        let listener = Listener(
            world, tenant, user: "alice", receiver: receiver, start: world.disk.events.count)
        var editors: [Editor] = []
        for (name, user) in [("a", "alice"), ("b", "alice"), ("c", "alice"), ("d", "bob")] {
            let editor = Editor(
                world, tenant, user: user, name: name, ledger: ledger, numbers: numbers,
                zones: ground.zones[user] ?? [])
            editors.append(editor)
            tasks.start { await editor.run(operations: 8) }
        }
        tasks.start { await mirror.run(times: 6) }
        tasks.start { await listener.run(times: 8) }
        finish(world, tasks)

        world.hasFaults = false
        guard !world.isBroken, let zone = ground.zones["alice"]?.first(where: { $0.name == "Z" }) else {
            return
        }
        let expected = ledger.records(ofZone: zone.id)
        tasks.start { await mirror.finish(expected) }
        finish(world, tasks)
        tasks.start { await listener.finish() }
        for editor in editors { tasks.start { await editor.finish() } }
        finish(world, tasks)
    }

    /// Goes on until all tasks have ended.
    private static func finish(_ world: World, _ tasks: Tasks) {
        while tasks.left > 0 {
            guard world.step() else { return world.find("everybody waits, and nothing can happen") }
            guard world.steps < mostSteps else { return world.find("it does not come to an end") }
            if world.isBroken { return }
        }
    }
}
