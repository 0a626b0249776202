import CoreData
import Foundation

/// Makes all changes, one after the other in one background context, so that none conflicts with another. Contexts
/// that merge changes automatically follow when it saves.
///
/// Unchecked sendable: the context is used on its queue only.
final class CourseEditor: @unchecked Sendable {
    private let context: NSManagedObjectContext

    init(container: NSPersistentContainer) { context = container.newBackgroundContext() }

    /// Makes an edit of a course, and saves it.
    func apply(_ edit: CourseEdit, toCourse courseId: Int) async throws {
        try await save { context in
            var generator = SystemRandomNumberGenerator()
            try edit.apply(toCourse: courseId, in: context, using: &generator)
        }
    }

    /// Makes changes, and saves them.
    func save(_ change: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws {
        try await context.perform { [context] in
            // Another program may have written to the store: each edit begins with what is there.
            context.reset()
            try change(context)
            if context.hasChanges { try context.save() }
        }
    }
}
