import CoreData
import Foundation

/// The content store over Core Data.
final class CoreDataContentStore: ContentStore {
    private let context: NSManagedObjectContext

    init(context: NSManagedObjectContext) {
        self.context = context
    }

    func recentUpdates(limit: Int) -> [Content] {
        load(by: nil, limit: limit, descriptors: [NSSortDescriptor(key: "releasedAt", ascending: false)])
    }

    func favorites() -> [Content] { load(by: isFavorite, limit: nil, descriptors: nil) }

    func watchLater() -> [Content] {
        load(
            by: isForLater, limit: nil, descriptors: [NSSortDescriptor(key: "watchLaterAt", ascending: false)]
        )
    }

    func freeEpisodes() -> [Content] {
        load(
            by: isFreeEpisode, limit: nil,
            descriptors: [NSSortDescriptor(key: "releasedAt", ascending: false)])
    }

    func watchingHistory() -> [Content] {
        load(
            by: wasWatched, limit: nil,
            descriptors: [NSSortDescriptor(keyPath: \Content.lastWatchedAt, ascending: false)])
    }

    func learningPaths() -> [Content] {
        load(by: isLearningPath, limit: nil, descriptors: [NSSortDescriptor(key: "title", ascending: true)])
    }

    var favoritesCount: Int { count(by: isFavorite) }
    var watchLaterCount: Int { count(by: isForLater) }
    var freeEpisodesCount: Int { count(by: isFreeEpisode) }
    var watchingHistoryCount: Int { count(by: wasWatched) }
    var learningPathsCount: Int { count(by: isLearningPath) }
    var hasCache: Bool { count(by: nil) > 0 }

    // MARK: The predicates

    private var isFavorite: NSPredicate { NSPredicate(format: "%K != nil", "favoriteAt") }
    private var isForLater: NSPredicate { NSPredicate(format: "watchLaterAt != nil") }
    private var isFreeEpisode: NSPredicate {
        NSPredicate(format: "isFree == YES && type == %i", ContentType.episode.rawValue)
    }
    private var wasWatched: NSPredicate { NSPredicate(format: "%K != nil && progress != 0", "lastWatchedAt") }
    private var isLearningPath: NSPredicate {
        NSPredicate(format: "type == %i", ContentType.learningPath.rawValue)
    }

    // MARK: Two ways to ask

    private func load<T: NSManagedObject>(
        by predicate: NSPredicate?, limit: Int?, descriptors: [NSSortDescriptor]?
    ) -> [T] {
        let request = NSFetchRequest<T>(entityName: String(describing: T.self))
        request.predicate = predicate
        request.sortDescriptors = descriptors
        if let limit { request.fetchLimit = limit }
        // The store was opened before: what cannot be fetched is a fault of the request, and the screen stays empty.
        return (try? context.fetch(request)) ?? []
    }

    private func count(by predicate: NSPredicate?) -> Int {
        let request = NSFetchRequest<NSNumber>(entityName: "Content")
        request.predicate = predicate
        request.resultType = .countResultType
        // As above.
        return (try? context.fetch(request).first?.intValue) ?? 0
    }
}
