import ArgumentParser
import CoreData
import Foundation

/// Prints what the screens of the app ask for, a course as a sectioned list, and what its controller reports of edits.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the screens, the chapters of a course, and what the controller reports of edits.",
        discussion: """
            Fills a store from an HTTP endpoint, which the command serves itself unless --from names one, prints \
            what a screen of the app would ask for, then the chapters of a course as a table, and then \
            what the fetched results controller reports while another context edits the course.

              courses show                          everything, in a store in memory
              courses show --store courses.sqlite   keeps the store; sqlite3 and 'stratus store inspect' can read it
              courses show --descending             the last chapter first
            """)

    @Option(help: "Where the store is kept. In memory unless set.")
    var store: String?
    @Option(
        help: "The address of a catalogue, instead of the command's own.", transform: CatalogueAddress.url)
    var from: URL?
    @Flag(help: "Order chapters and lessons from last to first.")
    var descending = false

    func run() async throws {
        let container = try await NSPersistentContainer.courses(at: store)
        say(await container.hasCache ? "The store has contents of before." : "The store is empty.")
        try await container.fill(from: from)

        let context = container.newBackgroundContext()
        context.automaticallyMergesChangesFromParent = true
        try await context.perform { try play(context) }
        let isAscending = !descending
        let list = await context.perform {
            SharedList(
                list: ChapterList(
                    courseId: 7, isAscending: isAscending, context: context,
                    cacheName: store == nil ? nil : "courses-\(isAscending)", tell: { say("\($0)") }))
        }
        try await context.perform {
            try list.list.controller.performFetch()
            say("\nCore Data, Anywhere\n\(list.list.table)\n")
        }
        for edit in ShownEdit.all {
            say(edit.title)
            try await container.performBackgroundTask { try edit.apply(in: $0) }
            // The edit was saved in another context; this one takes it over on its own queue.
            await context.perform(schedule: .enqueued) {}
        }
        await context.perform { say("\n\(list.list.table)") }
    }

    private struct SharedList: Sendable {
        // Unsafe: the list belongs to the context's queue, and is used there only.
        nonisolated(unsafe) let list: ChapterList
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

/// The address of a catalogue on the command line.
enum CatalogueAddress {
    static func url(_ argument: String) throws -> URL {
        guard let url = URL(string: argument), url.scheme == "http" || url.scheme == "https" else {
            throw ValidationError("'\(argument)' is no address.")
        }
        return url
    }
}
