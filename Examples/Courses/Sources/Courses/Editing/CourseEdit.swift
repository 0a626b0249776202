import Foundation
import Hummingbird

/// What a page may ask to be changed in a course.
enum CourseEdit: Sendable {
    case add(title: String, chapter: String)
    case rename(lesson: String, title: String)
    /// Changes places with the lesson before (-1) or after (1) it in the same chapter.
    case step(lesson: String, by: Int)
    /// To the end of a chapter, which is made where there is none of that name.
    case put(lesson: String, chapter: String)
    case delete(lesson: String)
    case renameChapter(String, to: String)
    /// Any of the others, for demonstration.
    case random
}

extension CourseEdit {
    /// The longest title of a lesson or chapter, in characters.
    static let maximumTitleLength = 120
    /// The most lessons of a course.
    static let maximumLessons = 500

    /// The fields of a posted form.
    struct Form: Decodable {
        var edit: String
        var lesson: String?
        var chapter: String?
        var title: String?
    }

    /// - Throws: a status of 400 that says what is wrong with the form.
    init(_ form: Form) throws(HTTPError) {
        func lesson() throws(HTTPError) -> String {
            guard let lesson = form.lesson else {
                throw HTTPError(.badRequest, message: "The field 'lesson' is missing.")
            }
            return lesson
        }
        switch form.edit {
        case "add":
            self = .add(
                title: try Self.title(form.title, "title"), chapter: try Self.title(form.chapter, "chapter"))
        case "rename": self = .rename(lesson: try lesson(), title: try Self.title(form.title, "title"))
        case "earlier": self = .step(lesson: try lesson(), by: -1)
        case "later": self = .step(lesson: try lesson(), by: 1)
        case "put": self = .put(lesson: try lesson(), chapter: try Self.title(form.chapter, "chapter"))
        case "delete": self = .delete(lesson: try lesson())
        case "renameChapter":
            self = .renameChapter(form.chapter ?? "", to: try Self.title(form.title, "title"))
        case "random": self = .random
        default: throw HTTPError(.badRequest, message: "There is no edit '\(form.edit)'.")
        }
    }

    /// A title that fits in a row: one line, not empty, not too long.
    private static func title(_ text: String?, _ field: String) throws(HTTPError) -> String {
        let title = (text ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard !title.isEmpty else { throw HTTPError(.badRequest, message: "The field '\(field)' is empty.") }
        guard title.unicodeScalars.count <= maximumTitleLength else {
            throw HTTPError(
                .badRequest, message: "The field '\(field)' has more than \(maximumTitleLength) characters.")
        }
        guard !title.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw HTTPError(.badRequest, message: "The field '\(field)' has a control character.")
        }
        return title
    }
}
