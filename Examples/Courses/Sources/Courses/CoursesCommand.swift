import ArgumentParser
import CoreData
import Foundation
import Hummingbird

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Loads a catalogue of courses over HTTP into Core Data, prints one as a sectioned list, and then edits it.
@main
struct CoursesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "courses",
        abstract: "A content store and a live chapter list on Core Data, without a Mac.",
        discussion: """
            Fills a store from an HTTP endpoint, which the command serves itself unless --from names one, prints \
            what a screen of the app would ask for, then the chapters of a course as a table, and then \
            what the fetched results controller tells while another context edits the course.

              courses                          everything, in a store in memory
              courses --store courses.sqlite   keeps the store; sqlite3 and 'stratus store inspect' can read it
              courses --descending             the last chapter first
            """)

    @Option(help: "Where the store is kept. In memory unless set.")
    var store: String?
    @Option(help: "The address of a catalogue, instead of the command's own.")
    var from: String?
    @Flag(help: "Order chapters and lessons from last to first.")
    var descending = false

    func run() async throws {
        let container = try await openContainer()
        let cached = await container.viewContext.perform {
            CoreDataContentStore(context: container.viewContext).hasCache
        }
        say(cached ? "The store has contents of before." : "The store is empty.")
        let catalogue = try await load()
        try await container.performBackgroundTask { try catalogue.store(in: $0) }

        let context = container.newBackgroundContext()
        context.automaticallyMergesChangesFromParent = true
        try await context.perform { try play(context) }
        let isAscending = !descending
        let list = await context.perform {
            UncheckedList(
                list: ChapterList(
                    courseId: 7, isAscending: isAscending, context: context,
                    cacheName: store == nil ? nil : "courses-\(isAscending)", say: { say($0) }))
        }
        try await context.perform {
            try list.list.controller.performFetch()
            say("\nCore Data, Anywhere\n\(list.list.table)\n")
        }
        for edit in Edit.all {
            say(edit.title)
            try await container.performBackgroundTask { try edit.apply(in: $0) }
            // The edit was saved in another context; this one takes it over on its own queue.
            await context.perform(schedule: .enqueued) {}
        }
        await context.perform { say("\n\(list.list.table)") }
    }

    /// The list belongs to the context's queue, and is used there only.
    private struct UncheckedList: @unchecked Sendable {
        let list: ChapterList
    }

    private func openContainer() async throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Courses")
        let url = URL(fileURLWithPath: store ?? "/dev/null")
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        try await container.loadPersistentStores()
        return container
    }

    private func load() async throws -> Catalogue {
        if let from {
            guard let url = URL(string: from) else { throw ValidationError("'\(from)' is no address.") }
            return try await fetch(url)
        }
        return try await CatalogueServer.serve(.sample) { try await fetch($0) }
    }

    /// Marks some contents as a person would, and prints what each screen shows.
    private func play(_ context: NSManagedObjectContext) throws {
        let store = CoreDataContentStore(context: context)
        for (place, content) in store.recentUpdates(limit: 5).enumerated() {
            let now = Date(timeIntervalSinceReferenceDate: 790_000_000 + Double(place))
            if place % 2 == 0 { content.favoriteAt = now } else { content.watchLaterAt = now }
            content.lastWatchedAt = now
            content.progress = Double(place) / 5
        }
        try context.save()
        say("Recent updates:    \(titles(store.recentUpdates(limit: 3)))")
        say("Favorites (\(store.favoritesCount)):     \(titles(store.favorites()))")
        say("Watch later (\(store.watchLaterCount)):   \(titles(store.watchLater()))")
        say("Free episodes (\(store.freeEpisodesCount)): \(titles(store.freeEpisodes()))")
        say("History (\(store.watchingHistoryCount)):       \(titles(store.watchingHistory()))")
        say("Paths (\(store.learningPathsCount)):         \(titles(store.learningPaths()))")
    }

    private func titles(_ contents: [Content]) -> String {
        contents.map { $0.title ?? "" }.joined(separator: " · ")
    }
}

/// Writes a line at once, so that a reader of a pipe sees it come.
func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

/// Reads a catalogue over HTTP.
func fetch(_ url: URL) async throws -> Catalogue {
    let (data, _) = try await URLSession.shared.data(from: url)
    return try JSONDecoder().decode(Catalogue.self, from: data)
}
