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

    func favorites() -> [Content] { load(by: Self.isFavorite, limit: nil, descriptors: nil) }

    func watchLater() -> [Content] {
        load(by: Self.isForLater, limit: nil, descriptors: [NSSortDescriptor(key: "watchLaterAt", ascending: false)])
    }

    func freeEpisodes() -> [Content] {
        load(by: Self.isFreeEpisode, limit: nil, descriptors: [NSSortDescriptor(key: "releasedAt", ascending: false)])
    }

    func watchingHistory() -> [Content] {
        load(
            by: Self.wasWatched, limit: nil,
            descriptors: [NSSortDescriptor(keyPath: \Content.lastWatchedAt, ascending: false)])
    }

    func learningPaths() -> [Content] {
        load(by: Self.isLearningPath, limit: nil, descriptors: [NSSortDescriptor(key: "title", ascending: true)])
    }

    var favoritesCount: Int { count(by: Self.isFavorite) }
    var watchLaterCount: Int { count(by: Self.isForLater) }
    var freeEpisodesCount: Int { count(by: Self.isFreeEpisode) }
    var watchingHistoryCount: Int { count(by: Self.wasWatched) }
    var learningPathsCount: Int { count(by: Self.isLearningPath) }
    var hasCache: Bool { count(by: nil) > 0 }

    // MARK: The predicates

    private static let isFavorite = NSPredicate(format: "%K != nil", "favoriteAt")
    private static let isForLater = NSPredicate(format: "watchLaterAt != nil")
    private static let isFreeEpisode = NSPredicate(
        format: "isFree == YES && type == %i", ContentType.episode.rawValue)
    private static let wasWatched = NSPredicate(format: "%K != nil && progress != 0", "lastWatchedAt")
    private static let isLearningPath = NSPredicate(format: "type == %i", ContentType.learningPath.rawValue)

    // MARK: Two ways to ask

    private func load<T: NSManagedObject>(
        by predicate: NSPredicate?, limit: Int?, descriptors: [NSSortDescriptor]?
    ) -> [T] {
        let request = NSFetchRequest<T>(entityName: String(describing: T.self))
        request.predicate = predicate
        request.sortDescriptors = descriptors
        if let limit { request.fetchLimit = limit }
        return (try? context.fetch(request)) ?? []
    }

    private func count(by predicate: NSPredicate?) -> Int {
        let request = NSFetchRequest<NSNumber>(entityName: "Content")
        request.predicate = predicate
        request.resultType = .countResultType
        return (try? context.fetch(request).first?.intValue) ?? 0
    }
}
