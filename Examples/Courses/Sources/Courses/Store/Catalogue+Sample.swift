import Foundation

extension Catalogue {
    /// A small catalogue to look at. A content that is a course has that course's number.
    static let sample = Catalogue(
        contents: titles.enumerated().map { place, entry in
            Item(
                id: Int64(place + 1), title: entry.0, type: entry.1.rawValue, isFree: entry.2,
                releasedAt: Date(timeIntervalSince1970: 1_735_689_600 + Double(place) * 9 * 86_400))
        },
        courses: [
            Course(
                id: 1, title: "Your First App",
                chapters: [
                    ("Hello", [("What You Need", 142), ("A Window", 388)]),
                    ("Looks", [("Colours", 415), ("Type", 367), ("Dark Mode", 290)]),
                ]),
            Course(
                id: 2, title: "Swift Concurrency by Example",
                chapters: [
                    ("Tasks", [("Waiting", 511), ("Cancelling", 433)]),
                    ("Actors", [("A Counter", 376), ("Reentrancy", 688)]),
                    ("Sequences", [("Streams", 529), ("Backpressure", 602)]),
                ]),
            Course(
                id: 7, title: "Core Data, Anywhere",
                chapters: [
                    ("Getting Started", [("Introduction", 184), ("Tools", 312), ("A First Screen", 655)]),
                    ("Zeroing In", [("Models", 540), ("Fetching", 721)]),
                    ("A List That Lives", [("Sections", 602), ("Changes", 833), ("Moves", 471)]),
                    ("Shipping", [("Tests", 690), ("Release", 345)]),
                ]),
        ])

    private static let titles: [(String, ContentType, Bool)] = [
        ("Your First App", .course, false), ("Swift Concurrency by Example", .course, false),
        ("What Is an Actor?", .episode, true), ("Lists That Do Not Flicker", .episode, true),
        ("Becoming a Server Developer", .learningPath, false),
        ("Sendable in Ten Minutes", .episode, false), ("Core Data, Anywhere", .course, false),
        ("From Storyboards to SwiftUI", .learningPath, false), ("Predicates, Deeply", .episode, true),
    ]
}

extension Catalogue.Course {
    /// A course whose chapters and lessons are numbered from 1.
    fileprivate init(id: Int64, title: String, chapters: [(String, [(String, Int32)])]) {
        self.id = id
        self.title = title
        self.chapters = chapters.enumerated().map { number, chapter in
            Catalogue.Chapter(
                number: Int16(number + 1), name: chapter.0,
                lessons: chapter.1.enumerated().map {
                    Catalogue.Chapter.Lesson(number: Int16($0 + 1), title: $1.0, seconds: $1.1)
                })
        }
    }
}
