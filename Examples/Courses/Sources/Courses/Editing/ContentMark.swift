import CoreData
import Foundation
import Hummingbird

/// What a person does with a content.
enum ContentMark: String, Sendable {
    case favorite = "favourite"
    case watchLater = "later"
    /// Watches another quarter of it; past the end it starts over.
    case watch

    /// - Throws: a status of 404 where there is no such content.
    func apply(toContent contentId: Int, at now: Date, in context: NSManagedObjectContext) throws {
        let request: NSFetchRequest<Content> = Content.fetchRequest()
        request.predicate = NSPredicate(format: "contentId = %lld", Int64(contentId))
        guard let content = try context.fetch(request).first else {
            throw HTTPError(.notFound, message: "There is no content \(contentId).")
        }
        switch self {
        case .favorite: content.favoriteAt = content.favoriteAt == nil ? now : nil
        case .watchLater: content.watchLaterAt = content.watchLaterAt == nil ? now : nil
        case .watch:
            content.progress = content.progress >= 1 ? 0.25 : content.progress + 0.25
            content.lastWatchedAt = now
        }
    }
}
