import Foundation
import StratusCoreData
import Synchronization

/// How long a fetch takes while another context of the same store saves again and again: both use one connection.
final class BesideSaves: Sendable {
    private let isOver = Atomic(false)
    private let saves = Atomic(0)

    /// The times of fetches in milliseconds, sorted.
    static func times(_ store: ObjectStore, seconds: Double) throws -> [Double] {
        let context = store.container.newBackgroundContext()
        var times: [Double] = []
        var turn: Int64 = 0
        let end = Date(timeIntervalSinceNow: seconds)
        while Date() < end {
            turn += 37
            try times.append(milliseconds { _ = try store.page(city: turn % Player.cities, in: context) })
            // A user scrolls, and does not ask without a pause.
            Thread.sleep(forTimeInterval: 0.002)
        }
        return times.sorted()
    }

    /// The times of fetches beside a context that changes so many objects and saves them, and how many saves a second there were.
    static func times(
        _ store: ObjectStore, seconds: Double, beside count: Int
    ) throws -> (times: [Double], savesPerSecond: Double) {
        let run = BesideSaves()
        let context = store.container.newBackgroundContext()
        let end = DispatchSemaphore(value: 0)
        let thread = Thread {
            run.work(context, count)
            end.signal()
        }
        thread.start()
        defer {
            run.isOver.store(true, ordering: .relaxed)
            end.wait()
        }
        // The first save fetches what it changes.
        while run.saves.load(ordering: .relaxed) < 2 { Thread.sleep(forTimeInterval: 0.01) }
        let before = run.saves.load(ordering: .relaxed)
        let times = try times(store, seconds: seconds)
        return (times, Double(run.saves.load(ordering: .relaxed) - before) / seconds)
    }

    private func work(_ context: NSManagedObjectContext, _ count: Int) {
        do {
            let request = NSFetchRequest<PlayerObject>(entityName: "Player")
            request.fetchLimit = count
            let players = try context.performAndWait { try context.fetch(request) }
            while !isOver.load(ordering: .relaxed) {
                try context.performAndWait {
                    for player in players { player.wins += 1 }
                    try context.save()
                }
                saves.add(1, ordering: .relaxed)
            }
        } catch {
            fatalError("The saves beside failed: \(error)")
        }
    }
}
