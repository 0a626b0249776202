import CoreData
import Foundation

/// The chapters of a course in one order, for all windows that show them: one controller, whose calls go to every
/// reader as Server-Sent Events.
///
/// Unchecked sendable: the list and the calls are used on the queue of the context only.
final class LiveChapters: @unchecked Sendable {
    /// What is sent: once `snapshot`, then `changes` for each time the list changed.
    struct Snapshot: Encodable {
        var version: Int
        var digest: String
        var sections: [ChapterSnapshot.Section]
    }
    struct Changes: Encodable {
        var version: Int
        /// Of the list after the calls; a page that shows something else asks for the list again.
        var digest: String
        var calls: [ChapterListCall]
    }

    private let context: NSManagedObjectContext
    private let fanout = EventFanout()
    private var list: ChapterList?
    private var calls: [ChapterListCall] = []
    private var version = 0

    /// Fetches the list and follows it from then on.
    init(courseId: Int, isAscending: Bool, container: NSPersistentContainer) async throws {
        context = container.newBackgroundContext()
        context.automaticallyMergesChangesFromParent = true
        try await context.perform { [self] in
            let list = ChapterList(
                courseId: courseId, isAscending: isAscending, context: context, cacheName: nil
            ) {
                [weak self] in self?.hear($0)
            }
            try list.controller.performFetch()
            self.list = list
        }
    }

    /// The list as it is, then its changes; nil when too many read already.
    func events() async throws -> AsyncStream<ServerSentEvent>? {
        // On the context's queue no change comes between the snapshot and the subscription.
        try await context.perform { [self] in
            guard let list else { return nil }
            let now = ChapterSnapshot(list.controller)
            return fanout.subscribe(
                first: try ServerSentEvent(
                    id: version, name: "snapshot",
                    Snapshot(version: version, digest: now.digest, sections: now.sections)))
        }
    }

    /// Collects the calls of one change, so that a page gets all of them or none.
    private func hear(_ call: ChapterListCall) {
        calls.append(call)
        guard case .didChange = call, let list else { return }
        version += 1
        let changes = Changes(
            version: version, digest: ChapterSnapshot(list.controller).digest, calls: calls)
        calls = []
        // Plain values: encoding them does not fail.
        if let event = try? ServerSentEvent(id: version, name: "changes", changes) { fanout.send(event) }
    }
}

/// The live lists, each made when it is first asked for.
actor LiveCourses {
    private struct Key: Hashable {
        var courseId: Int
        var isAscending: Bool
    }

    private let container: NSPersistentContainer
    private var lists: [Key: Task<LiveChapters, any Error>] = [:]

    init(container: NSPersistentContainer) { self.container = container }

    /// The list of a course that exists.
    func list(courseId: Int, isAscending: Bool) async throws -> LiveChapters {
        let key = Key(courseId: courseId, isAscending: isAscending)
        if let task = lists[key] { return try await task.value }
        let task = Task { [container] in
            try await LiveChapters(courseId: courseId, isAscending: isAscending, container: container)
        }
        lists[key] = task
        do { return try await task.value } catch {
            // The next reader tries again.
            lists[key] = nil
            throw error
        }
    }
}
