internal import CStratusSQLite
internal import StratusCoreData

/// The files beside a store that hold large binary values (Documentation/CoreDataStore.md, 'External data').
///
/// A value's column begins with a byte: 1 for bytes that follow, 2 for the name of a file. A file is written, and
/// on disk, before the row that names it is; it is removed after the row that named it is gone. What a crash
/// between the two leaves behind is swept away when the store is opened next.
final class ExternalFiles {
    /// `.<store>_SUPPORT/_EXTERNAL_DATA`
    let folder: URL
    /// Values of more bytes than this get a file. Apple's limit is not documented; 100 KB fits what was seen.
    static let threshold = 100 * 1_024

    private static let inlineMark: UInt8 = 1
    private static let fileMark: UInt8 = 2

    /// The store's own file.
    private let store: URL

    /// The files of the store at an address: beside the file itself, where a link leads to it.
    init(store: URL) {
        self.store = store.resolvingSymlinksInPath()
        let (own, beside) = (Self.folder(of: self.store), Self.folder(of: store))
        // Earlier versions had them beside the link.
        let isBeside = RegularFile.kind(own.path) == .nothing && RegularFile.kind(beside.path) != .nothing
        folder = isBeside ? beside : own
    }

    private static func folder(of store: URL) -> URL {
        let name = store.deletingPathExtension().lastPathComponent
        return store.deletingLastPathComponent()
            .appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
            .appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
    }

    // MARK: Columns

    /// The value of a column; nil where its file is gone.
    static func value(_ bytes: UnsafeRawBufferPointer, _ files: ExternalFiles?) -> Data? {
        switch bytes.first {
        case inlineMark: return Data(bytes.dropFirst())
        case fileMark:
            if let name = fileName(bytes) { return files?.read(name) }
            return Data(bytes)
        case nil: return Data()
        // No mark: the attribute had no external storage when the row was written.
        default: return Data(bytes)
        }
    }

    /// The name of the file that a column's value is in, or nil.
    static func fileName(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count == 38, bytes.first == fileMark, bytes.last == 0 else { return nil }
        let text = String(decoding: bytes[1..<37], as: UTF8.self)
        return UUID(uuidString: text) == nil ? nil : text
    }

    /// The column's bytes for a value that stays in the row.
    static func inline(_ data: Data) -> [UInt8] { [inlineMark] + data }

    /// The column's bytes for a value in a file.
    static func reference(_ name: String) -> [UInt8] { [fileMark] + name.utf8 + [0] }

    // MARK: Files

    private func read(_ name: String) -> Data? {
        do {
            let file = folder.appendingPathComponent(name)
            // Reading a pipe would wait for a writer.
            guard ![.pipe, .device].contains(RegularFile.kind(file.path)) else { throw POSIXError(.EINVAL) }
            return try Data(contentsOf: file)
        } catch {
            CoreDataLog.report(
                "The file \(name) of an attribute with external storage cannot be read, so the value is nil: \(error)"
            )
            return nil
        }
    }

    /// The value in a file; nil where there is none, as its object reads it.
    ///
    /// - Throws: `CocoaError` 134110 where there is one that cannot be read: whoever moves the value would lose it.
    func content(_ name: String) throws -> Data? {
        let file = folder.appendingPathComponent(name)
        guard RegularFile.kind(file.path) == .regular else { return nil }
        do { return try Data(contentsOf: file) } catch {
            throw CoreDataError(
                134110, "The file \(name) of a large value cannot be read, so the store was left as it was.",
                remedy: "Check its permissions.", cause: error
            ).cocoa
        }
    }

    /// Writes a value to a new file, and waits until it is on disk.
    ///
    /// - Returns: the file's name.
    /// - Throws: `CocoaError`; the file is then not there.
    func write(_ data: Data) throws -> String {
        let name = UUID().uuidString
        do {
            let isNew = !FileManager.default.fileExists(atPath: folder.path)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let path = folder.appendingPathComponent(name).path
            try DurableFile.write(data, to: path)
            try DurableFile.sync(folder: folder.path)
            if isNew {
                let support = folder.deletingLastPathComponent()
                try DurableFile.sync(folder: support.path)
                try DurableFile.sync(folder: support.deletingLastPathComponent().path)
            }
        } catch {
            // A file that no row names is swept when the store is next opened.
            try? RegularFile.remove(folder.appendingPathComponent(name).path)
            throw CoreDataError(
                134200, "A large value could not be written to \(folder.path).",
                remedy: "Check the free space and the permissions of the folder.", cause: error
            ).cocoa
        }
        return name
    }

    /// Removes files that no row names. What stays is swept when the store is next opened.
    func remove(_ names: some Collection<String>) {
        guard !names.isEmpty, !isShared else { return }
        // They are swept when the store is next opened.
        for name in names { try? RegularFile.remove(folder.appendingPathComponent(name).path) }
    }

    /// Removes all files, and their folders where nothing else is in them.
    ///
    /// - Throws: what ``RegularFile/remove(_:)`` throws.
    func removeAll() throws {
        guard RegularFile.kind(folder.path, followsLinks: true) == .folder, !isShared else { return }
        for name in names { try RegularFile.remove(folder.appendingPathComponent(name).path) }
        RegularFile.removeFolderIfEmpty(folder.path)
        RegularFile.removeFolderIfEmpty(folder.deletingLastPathComponent().path)
    }

    /// Whether another store has its files in the same folder: one whose name differs in its ending alone, as a copy
    /// `Photos.backup` of `Photos.sqlite` does. Its rows may name any of them, so none is removed then.
    var isShared: Bool {
        let stem = store.deletingPathExtension().lastPathComponent
        let parent = store.deletingLastPathComponent()
        // What cannot be listed may hold one.
        guard let others = try? FileManager.default.contentsOfDirectory(atPath: parent.path) else {
            return true
        }
        return others.contains { name in
            let other = parent.appendingPathComponent(name)
            return name != store.lastPathComponent && other.deletingPathExtension().lastPathComponent == stem
                && !RegularFile.logSuffixes.contains(where: name.hasSuffix)
                && RegularFile.isDatabase(other.path)
                && StoreFiles.exists(other)
        }
    }

    /// The names of all files.
    var names: [String] {
        // A folder is made with the first file; what cannot be listed is not swept now.
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return all.filter { UUID(uuidString: $0) != nil }
    }

    /// When a file was written.
    func date(of name: String) -> Date? {
        // A file without a date is not swept.
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: folder.appendingPathComponent(name).path)
        return attributes?[.modificationDate] as? Date
    }
}
