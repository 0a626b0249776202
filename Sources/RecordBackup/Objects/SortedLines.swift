import Foundation

/// The lines of a file, one after the other; memory is that of some lines.
final class SortedLines {
    private let handle: FileHandle
    private let path: String
    private var rest: [UInt8] = []
    private var start = 0
    /// The line that comes next; nil at the end.
    private(set) var current: String?

    private static let pieceBytes = 1 << 16

    init(_ path: String) throws {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw BackupError.file("opened", path)
        }
        self.handle = handle
        self.path = path
        try advance()
    }

    func advance() throws {
        while true {
            if let end = rest[start...].firstIndex(of: 10) {
                current = String(decoding: rest[start..<end], as: UTF8.self)
                start = end + 1
                return
            }
            rest.removeFirst(start)
            start = 0
            let piece: Data?
            do { piece = try handle.read(upToCount: Self.pieceBytes) } catch {
                throw BackupError.file("read", path)
            }
            guard let piece, !piece.isEmpty, rest.count < 1 << 20 else {
                current = nil
                return
            }
            rest += piece
        }
    }

    /// Passes over the lines before a text.
    ///
    /// - Returns: whether the text itself is there.
    func contains(_ text: String) throws -> Bool {
        while let line = current, line < text { try advance() }
        return current == text
    }
}
