import Foundation
import RecordStorageOpening
import RecordStorageSQLite

/// One end of a copy: where its records are, and where its files and its secret are.
struct CopySide: Sendable, Equatable {
    var location: StoreLocation
    /// Nil where nothing says it.
    var dataDirectory: String?

    /// Reads an argument.
    ///
    /// - Parameters:
    ///   - text: a location as in `--store`, or a data directory.
    ///   - dataDirectory: where its files are, if it was said.
    /// - Throws: a ``Failure`` for what cannot be copied.
    init(_ text: String, dataDirectory: String?) throws {
        let forms = "Name a data directory, sqlite:DIRECTORY or postgres://USER@HOST/DATABASE."
        guard !text.isEmpty else { throw Failure.usage("A store has no name.", remedy: forms) }
        let named = StoreLocation(text, dataDirectory: "")
        switch named {
        case .sqlite(let directory)? where directory.isEmpty:
            throw Failure.usage("'\(text)' names no directory.", remedy: forms)
        case .memory?:
            throw Failure.usage("What is in memory is gone when its server ends.", remedy: forms)
        case .sqlite(let directory)?:
            location = .sqlite(directory: directory)
            self.dataDirectory = dataDirectory ?? directory
        case .postgres?:
            location = named ?? .memory
            self.dataDirectory = dataDirectory
        case nil:
            guard !text.contains("://") else {
                throw Failure.usage("There is no store of the kind '\(text)'.", remedy: forms)
            }
            location = .sqlite(directory: text)
            self.dataDirectory = dataDirectory ?? text
        }
    }

    /// Whether there is a database to read.
    func requireExisting() throws {
        guard case .sqlite(let directory) = location else { return }
        guard FileManager.default.fileExists(atPath: directory + "/" + SQLiteStore.fileName) else {
            throw Failure.usage(
                "There is no \(SQLiteStore.fileName) in \(directory).",
                remedy: "Name the server's data directory first, and where the copy goes second.")
        }
    }

    /// Both ends as two arguments and two options name them: where only one names a data directory, it is that of both.
    static func both(
        from: String, to: String, fromData: String?, toData: String?
    ) throws -> (source: CopySide, target: CopySide) {
        var source = try CopySide(from, dataDirectory: fromData)
        var target = try CopySide(to, dataDirectory: toData)
        guard !source.location.isSame(as: target.location) else {
            throw Failure.usage("A store cannot be copied into itself.", remedy: "Name two stores.")
        }
        try source.requireExisting()
        if source.dataDirectory == nil, target.dataDirectory != nil, toData == nil {
            // SQLite's directory would be taken for the one that has the files of PostgreSQL's store.
            throw Failure.usage(
                "It is not known where the files and the secret of \(source.location) are.",
                remedy: "Name the data directory of its server with --from-data.")
        }
        source.dataDirectory = source.dataDirectory ?? target.dataDirectory
        target.dataDirectory = target.dataDirectory ?? source.dataDirectory
        return (source, target)
    }
}

extension StoreLocation {
    fileprivate func isSame(as other: StoreLocation) -> Bool {
        guard case .sqlite(let first) = self, case .sqlite(let second) = other else { return self == other }
        return CopySide.path(first) == CopySide.path(second)
    }
}

extension CopySide {
    /// A directory in a form that can be compared.
    static func path(_ directory: String) -> String {
        URL(fileURLWithPath: directory).standardizedFileURL.resolvingSymlinksInPath().path
    }

    /// Whether two ends have the same files.
    func sharesFiles(with other: CopySide) -> Bool {
        guard let mine = dataDirectory, let theirs = other.dataDirectory else { return true }
        return Self.path(mine) == Self.path(theirs)
    }
}
