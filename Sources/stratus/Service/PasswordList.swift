import Crypto
import Foundation
import RecordEngine
import RecordModel

/// A file of passwords that were stolen somewhere: one in each line, or its SHA-1 in hexadecimal with a colon and a number
/// behind it perhaps, in order. The latter is what Have I Been Pwned gives away: some 40 GB, of which a look reads forty
/// lines and nothing is kept.
final class PasswordList: Sendable {
    private enum Form {
        case plain(Set<String>)
        case hashes(length: UInt64)
    }

    /// The most bytes of a file of passwords, which is kept in memory: some three million of them.
    static let plainBytes: UInt64 = 33_554_432
    /// The longest line of hashes: the hash, a colon and a number.
    private static let lineBytes = 64
    private static let hashDigits = 40

    private let file: Int32
    private let form: Form

    /// Opens a file.
    ///
    /// - Throws: a ``Failure`` where it cannot be read, is empty, or is too long to be kept.
    init(path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw Failure(
                "The file \(path) of --breached-passwords cannot be read: \(String(cString: strerror(errno))).",
                remedy: "Check it with 'ls -l \(path)': the server's user must be able to read it.")
        }
        do {
            form = try Self.form(of: file, path)
            self.file = file
        } catch {
            // It was only read; why it is refused counts.
            close(file)
            throw error
        }
    }

    deinit { close(file) }

    private static func form(of file: Int32, _ path: String) throws -> Form {
        let length = lseek(file, 0, SEEK_END)
        guard length > 0 else {
            throw Failure(
                "The file \(path) of --breached-passwords is empty or not a regular file.",
                remedy: "Give one with a password, or the SHA-1 of one, in each line.")
        }
        let first = try line(at: 0, of: file)
        if let first, hash(of: first) != nil { return .hashes(length: UInt64(length)) }
        guard UInt64(length) <= plainBytes else {
            throw Failure(
                "The file \(path) of --breached-passwords has more than \(plainBytes) bytes of passwords.",
                remedy:
                    "Give their SHA-1 in order, as Have I Been Pwned does: such a file may be of any length.")
        }
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        return .plain(Set(text.split(whereSeparator: \.isNewline).map { $0.lowercased() }))
    }

    /// Whether the file has a password; of passwords, capital letters do not count.
    ///
    /// - Throws: a ``Failure`` where the file cannot be read any more.
    func contains(_ password: String) throws -> Bool {
        switch form {
        case .plain(let passwords): return passwords.contains(password.lowercased())
        case .hashes(let length):
            let digest = Insecure.SHA1.hash(data: Array(password.utf8))
            let wanted = digest.hex.uppercased()
            return try contains(Array(wanted.utf8), in: 0..<length)
        }
    }

    /// Looks in the middle, and in the middle of the half that is left.
    private func contains(_ wanted: [UInt8], in range: Range<UInt64>) throws -> Bool {
        var range = range
        while !range.isEmpty {
            let middle = range.lowerBound + (range.upperBound - range.lowerBound) / 2
            // The first line that begins at the middle or behind it.
            guard let (start, line) = try lineFrom(middle, least: range.lowerBound), start < range.upperBound,
                let found = Self.hash(of: line)
            else {
                range = range.lowerBound..<middle
                continue
            }
            if found == wanted { return true }
            if found.lexicographicallyPrecedes(wanted) {
                range = (start + UInt64(line.count))..<max(range.upperBound, start + UInt64(line.count))
            } else {
                range = range.lowerBound..<middle
            }
        }
        return false
    }

    /// A line that begins at an offset or behind it, and where; nil where none does.
    private func lineFrom(_ offset: UInt64, least: UInt64) throws -> (start: UInt64, line: [UInt8])? {
        var start = offset
        if offset > least {
            let before = try Self.read(file, at: offset - 1, Self.lineBytes + 1)
            guard let end = before.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            start = offset + UInt64(end)
        }
        return try Self.line(at: start, of: file).map { (start, $0) }
    }

    /// A line with its end; nil after the last one.
    private static func line(at offset: UInt64, of file: Int32) throws -> [UInt8]? {
        let bytes = try read(file, at: offset, lineBytes)
        if bytes.isEmpty { return nil }
        return Array(bytes.prefix((bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count - 1) + 1))
    }

    /// The hash in a line, in capital letters; nil for a line of something else.
    private static func hash(of line: [UInt8]) -> [UInt8]? {
        guard line.count >= hashDigits else { return nil }
        let rest = line.dropFirst(hashDigits)
        guard rest.first.map({ ":\r\n".utf8.contains($0) }) ?? true else { return nil }
        let digits = line.prefix(hashDigits).map { (0x61...0x66).contains($0) ? $0 - 0x20 : $0 }
        return digits.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x46).contains($0) } ? digits : nil
    }

    private static func read(_ file: Int32, at offset: UInt64, _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = pread(file, &bytes, count, off_t(offset))
        guard read >= 0 else {
            throw Failure(
                "The list of breached passwords cannot be read: \(String(cString: strerror(errno))).",
                remedy: "Check that the file exists.")
        }
        return Array(bytes.prefix(read))
    }
}

extension ServerSettings {
    /// What the operator lets nobody choose.
    ///
    /// - Throws: a ``Failure`` where the list cannot be read.
    func refusedPasswords() throws -> RefusedPasswords {
        guard let breachedPasswords else { return RefusedPasswords(words: passwordWords) }
        let list = try PasswordList(path: breachedPasswords)
        return RefusedPasswords(words: passwordWords, isListed: list.contains)
    }
}

extension StretchingCost {
    /// What a server stretches passwords with. In debug builds `STRATUS_STRETCHING` may make that next to nothing, so that
    /// ten thousand of them show what else takes time (Benchmarks/timing.py).
    static var ofServer: StretchingCost {
        #if DEBUG
        if let text = ProcessInfo.processInfo.environment["STRATUS_STRETCHING"], let rounds = Int(text),
            (1...15).contains(rounds)
        {
            return StretchingCost(logRounds: rounds, blockSize: 8, parallelism: 1)
        }
        #endif
        return .standard
    }
}
