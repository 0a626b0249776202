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

    init(store: URL) {
        let name = store.deletingPathExtension().lastPathComponent
        folder = store.deletingLastPathComponent()
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
            return try Data(contentsOf: folder.appendingPathComponent(name))
        } catch {
            CoreDataLog.report(
                "The file \(name) of an attribute with external storage cannot be read, so the value is nil: \(error)"
            )
            return nil
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
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
            throw CoreDataError(
                134200, "A large value could not be written to \(folder.path).",
                remedy: "Check the free space and the permissions of the folder.", cause: error
            ).cocoa
        }
        return name
    }

    /// Removes files that no row names. What stays is swept when the store is next opened.
    func remove(_ names: some Sequence<String>) {
        // They are swept when the store is next opened.
        for name in names { try? FileManager.default.removeItem(at: folder.appendingPathComponent(name)) }
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
