import Crypto
import Foundation
import RecordImport
import RecordModel
import TemporaryFiles

/// The file that is imported, read piece by piece.
///
/// It is read more than once, so a pipe is copied to a temporary file first.
struct InputFile: Sendable {
    /// The kinds of files that can be read.
    enum Kind: Sendable, Equatable {
        case csv(separator: UInt8)
        case jsonLines

        /// A reader that starts at a position of the file.
        func reader(offset: Int64 = 0, line: Int = 1) -> any RowReader {
            switch self {
            case .csv(let separator): CSVReader(separator: separator, offset: offset, line: line)
            case .jsonLines: JSONLinesReader(offset: offset, line: line)
            }
        }
    }

    /// The path, as it was given.
    let path: String
    /// Whether it was a pipe or a device: reading it again may give something else.
    let isStream: Bool
    /// The kind.
    let kind: Kind
    /// The length in bytes.
    let size: Int64
    /// What distinguishes this content from another one: made from the length, the beginning and the end.
    let fingerprint: String

    /// How its text was written.
    let encoding: TextEncoding
    /// What is read in the place of a stream, or of text that is not UTF-8.
    private let copy: TemporaryFile?

    static let chunkBytes = 262_144
    private static let fingerprintBytes = 65_536

    /// Looks at a file.
    ///
    /// - Throws: a ``Failure`` when it cannot be read.
    ///
    /// - Parameters:
    ///   - path: where it is.
    ///   - named: the kind.
    ///   - encoding: how the text is written; nil to find it out from the beginning of the file.
    ///   - findsSeparator: whether what separates the cells of CSV is found in the heading instead.
    init(
        path: String, kind named: Kind, encoding: TextEncoding? = nil, findsSeparator: Bool = false
    ) throws {
        self.path = path
        var handle = try FileContents.open(path)
        isStream = FileContents.isStream(handle, at: path)
        var copy = isStream ? try Self.copy(of: handle, path) : nil
        if let copy { handle = try FileContents.open(copy.url.path) }
        let head = Array(try handle.read(upToCount: Self.chunkBytes) ?? Data())
        try handle.seek(toOffset: 0)
        // Whatever its name says.
        guard !SpreadsheetFile.begins(head) else { throw Self.spreadsheet(path) }
        self.encoding = encoding ?? (named == .jsonLines ? .utf8 : TextEncoding.detect(in: head))
        var first = head
        if self.encoding != .utf8 {
            var converter = TextConverter(self.encoding)
            first = converter.convert(head)
            copy = try Self.copy(of: handle, path, from: self.encoding)
            if let copy { handle = try FileContents.open(copy.url.path) }
        }
        self.copy = copy
        kind = findsSeparator ? .csv(separator: CSVSeparator.detect(in: first)) : named
        size = Int64(try handle.seekToEnd())
        var hash = SHA256()
        hash.update(data: Data("\(size)\n".utf8))
        try handle.seek(toOffset: 0)
        hash.update(data: try handle.read(upToCount: Self.fingerprintBytes) ?? Data())
        try handle.seek(toOffset: UInt64(max(0, size - Int64(Self.fingerprintBytes))))
        hash.update(data: try handle.read(upToCount: Self.fingerprintBytes) ?? Data())
        fingerprint = hash.finalize().prefix(8).hex
    }

    /// The kind that a file's name shows, or the one that was asked for.
    static func kind(of path: String, format: String?, separator: Character?) throws -> Kind {
        let byte = separator.flatMap(\.asciiValue)
        switch format?.lowercased() ?? (path as NSString).pathExtension.lowercased() {
        case "csv": return .csv(separator: byte ?? UInt8(ascii: ","))
        case "tsv": return .csv(separator: byte ?? UInt8(ascii: "\t"))
        case "jsonl", "ndjson", "json": return .jsonLines
        case "xlsx", "xls", "xlsm", "ods", "numbers":
            throw spreadsheet(path)
        case let name where format != nil:
            throw Failure.usage(
                "The format '\(name)' is not known.", remedy: "The formats are csv, tsv and jsonl.")
        default:
            throw Failure.usage(
                "The name \(path) does not say what the file holds.",
                remedy: "Add --format csv or --format jsonl.")
        }
    }

    private static func spreadsheet(_ path: String) -> Failure {
        Failure.usage("\(path) is a spreadsheet, not a text.", remedy: SpreadsheetFile.remedy)
    }

    /// Reads rows from a position on and gives them away, some at a time.
    ///
    /// - Parameter body: takes the rows; false ends the reading.
    func rows(from offset: Int64 = 0, line: Int = 1, _ body: ([ImportRow]) async throws -> Bool) async throws
    {
        let handle = try open()
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        var reader = kind.reader(offset: offset, line: line)
        var rows: [ImportRow] = []
        while let data = try handle.read(upToCount: Self.chunkBytes), !data.isEmpty {
            reader.read(Array(data), into: &rows)
            guard try await body(rows) else { return }
            rows.removeAll(keepingCapacity: true)
        }
        reader.finish(into: &rows)
        if !rows.isEmpty { _ = try await body(rows) }
    }

    /// The rows of the first piece of the file: what types are inferred from.
    func sample() throws -> [ImportRow] {
        let handle = try open()
        defer { try? handle.close() }
        let data = try handle.read(upToCount: Self.chunkBytes) ?? Data()
        var reader = kind.reader()
        var rows: [ImportRow] = []
        reader.read(Array(data), into: &rows)
        // The last row of the piece may be cut; only at the end of the file it is whole.
        if Int64(data.count) == size { reader.finish(into: &rows) }
        return rows
    }

    private func open() throws -> FileHandle { try FileContents.open(copy?.url.path ?? path) }

    private static let copies = ScratchDirectory(name: "stratus-import")

    private static func copy(
        of stream: FileHandle, _ path: String, from encoding: TextEncoding = .utf8
    ) throws -> TemporaryFile {
        var converter = TextConverter(encoding)
        let file = try TemporaryFile(in: copies)
        let handle = try OutputFile.open(file.url.path, appending: false)
        while let data = try stream.read(upToCount: chunkBytes), !data.isEmpty {
            do {
                try handle.write(contentsOf: encoding == .utf8 ? data : Data(converter.convert(data)))
            } catch {
                throw Failure(
                    "There is no room for a copy of \(path) in \(NSTemporaryDirectory()).",
                    remedy: "Set TMPDIR to a directory with more room, or import a file.")
            }
        }
        return file
    }
}
