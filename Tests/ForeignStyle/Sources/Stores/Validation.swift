import CoreData

/// Values checked before they are set, and collections changed through proxies.
enum Validation {
    static func set(_ title: String, of book: Book) throws {
        var value: AnyObject? = title as NSString
        try book.validateValue(&value, forKey: "title")
        book.setValue(value, forKey: "title")
    }

    static func add(_ books: [Book], to author: Author) {
        author.mutableSetValue(forKey: "books").addObjects(from: books)
    }
}
