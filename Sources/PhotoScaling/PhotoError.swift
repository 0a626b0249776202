public import Foundation

/// Why a photo could not be made.
public struct PhotoError: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case damaged, noRoom, tooLarge, unknownFormat, unreadable
        }

        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The file begins like a picture but cannot be read.
        public static let damaged = Code(.damaged)
        /// The temporary file cannot be written.
        public static let noRoom = Code(.noRoom)
        /// The file has more bytes, or the picture more pixels, than are read.
        public static let tooLarge = Code(.tooLarge)
        /// The file is not JPEG, PNG, WebP or GIF.
        public static let unknownFormat = Code(.unknownFormat)
        /// There is no file that can be read.
        public static let unreadable = Code(.unreadable)

        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong.
    public let sentence: String
    /// What to do about it.
    public let remedy: String
    /// What lies beneath.
    public let cause: (any Error)?

    init(_ code: Code, _ sentence: String, remedy: String, cause: (any Error)? = nil) {
        self.code = code
        self.sentence = sentence
        self.remedy = remedy
        self.cause = cause
    }

    public var description: String {
        "\(code): \(sentence) \(remedy)" + (cause.map { " (cause: \($0))" } ?? "")
    }
    public var errorDescription: String? { sentence }
    public var recoverySuggestion: String? { remedy }
}
