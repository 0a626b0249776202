import Foundation

/// What a screen of the app asks for, without knowing what it is kept in.
protocol ContentStore {
    func recentUpdates(limit: Int) -> [Content]
    func favorites() -> [Content]
    func watchLater() -> [Content]
    func freeEpisodes() -> [Content]
    func watchingHistory() -> [Content]
    func learningPaths() -> [Content]

    var favoritesCount: Int { get }
    var watchLaterCount: Int { get }
    var freeEpisodesCount: Int { get }
    var watchingHistoryCount: Int { get }
    var learningPathsCount: Int { get }

    /// Whether anything was loaded before.
    var hasCache: Bool { get }
}

/// The kinds of content, as in the catalogue.
enum ContentType: Int16 {
    case course = 1
    case episode = 2
    case learningPath = 3
}
