public import Foundation

/// Why a store cannot be inspected.
public struct InspectionError: Error, Sendable, CustomStringConvertible, LocalizedError {
    enum Kind: Sendable {
        case unreadable(String)
        case notSQLite
        case noStore
        case noEntity(String, known: [String])
        case request(String)
        case model(String)
    }

    private let kind: Kind
    /// The path of the file.
    public let path: String
    /// The error beneath, where there is one.
    public let cause: (any Error)?

    init(_ kind: Kind, path: String, cause: (any Error)? = nil) {
        self.kind = kind
        self.path = path
        self.cause = cause
    }

    /// A name for the kind of mistake, which does not change between versions.
    public var code: String {
        switch kind {
        case .unreadable: "UNREADABLE_STORE"
        case .notSQLite: "NOT_SQLITE"
        case .noStore: "NOT_CORE_DATA"
        case .noEntity: "UNKNOWN_ENTITY"
        case .request: "INVALID_REQUEST"
        case .model: "INVALID_MODEL"
        }
    }

    /// One sentence about what is wrong.
    public var message: String {
        switch kind {
        case .unreadable(let why): "The store cannot be read: \(why)"
        case .notSQLite: "The file is not an SQLite database."
        case .noStore: "The database is not a Core Data store: it has no Z_METADATA or no Z_PRIMARYKEY."
        case .noEntity(let name, _): "The store has no entity '\(name)'."
        case .request(let why): why
        case .model(let why): "The model that was given cannot be read: \(why)"
        }
    }

    /// One sentence about what to do.
    public var remedy: String {
        switch kind {
        case .unreadable:
            "Check the path and the permissions, and that the file and its -wal belong together."
        case .notSQLite: "Give the .sqlite file of a store; XML and binary stores are not read."
        case .noStore: "Give a file that Core Data wrote."
        case .noEntity(_, let known): "It has: \(known.sorted().joined(separator: ", "))."
        case .model: "Correct the model, or leave it out to use the store's own."
        case .request: "Correct the predicate, the keys to sort by or the limit."
        }
    }

    /// Everything, on two lines.
    public var description: String { "\(path): \(message) (\(code))\n\(remedy)" }

    public var errorDescription: String? { description }
}
