import Foundation
import RecordEngine
import RecordModel
import Synchronization
import TestSupport
import Testing

@testable import RecordServer

@Suite struct LogTextTests {
    @Test(arguments: [
        ("plain text 1", "plain text 1"), ("a\u{1B}[31mred", "a\\u{1b}[31mred"),
        ("a\nb\r\u{0}", "a\\u{a}b\\u{d}\\u{0}"),
        ("\u{202E}evil\u{2066}", "\\u{202e}evil\\u{2066}"), ("\u{9B}31m\u{7F}", "\\u{9b}31m\\u{7f}"),
        ("Zoë 日本 👩", "Zoë 日本 👩"), ("a\u{2028}b\u{FEFF}", "a\\u{2028}b\\u{feff}"), ("\u{E0041}", "\\u{e0041}"),
    ])
    func `Nothing in a line acts on a terminal`(text: String, line: String) {
        #expect(String(decoding: LogText.escaped(text), as: UTF8.self) == line)
    }

    @Test func `JSON stays the same JSON`() throws {
        let text = "a\u{9B}b\u{202E}c\u{E0041}d\u{7F}Zoë"
        let json = try JSONEncoder().encode([text])
        let escaped = LogText.escaped(json: Array(json))
        #expect(try JSONDecoder().decode([String].self, from: Data(escaped)) == [text])
        #expect(!String(decoding: escaped, as: UTF8.self).unicodeScalars.contains("\u{202E}"))
        #expect(!escaped.contains(0x7F))
    }

    @Test func `A request's own texts are escaped in both forms`() async throws {
        for format in LogFormat.allCases {
            var entry = RequestLog.Entry(id: RequestID.next(), method: "GET", time: 0)
            entry.route = "page"
            entry.path = "/\u{1B}[31m\u{202E}"
            entry.userAgent = "a\u{1B}]0;title\u{7}"
            entry.trace.error = ServiceError(.badRequest, "type 'a\nFAKE \u{1B}[31m'")
            let line = try await Self.written { RequestLog(sink: $0, format: format).write(entry) }
            #expect(line.dropLast().allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "\(format)")
            #expect(line.last == 0x0A)
        }
    }

    @Test func `A log that does not block loses no line in silence`() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        try #require(fcntl(writer, F_SETFL, O_NONBLOCK) == 0)
        let sink = LogSink(descriptor: writer)
        let count = 100_000
        let padding = String(repeating: "x", count: 90)
        for number in 0..<count { sink.write(Array("\(number) \(padding)\n".utf8)) }
        let all = Mutex<[UInt8]>([])
        let reading = Thread {
            var piece = [UInt8](repeating: 0, count: 65_536)
            while case let got = read(reader, &piece, piece.count), got > 0 {
                all.withLock { $0 += piece[..<got] }
            }
            close(reader)
        }
        reading.start()
        func lines() -> (kept: [Substring], told: Int) {
            let lines = String(decoding: all.withLock(\.self), as: UTF8.self).split(separator: "\n")
            let told = lines.compactMap {
                $0.contains("were dropped") ? Int($0.split(separator: " ")[0]) : nil
            }
            return (lines.filter { $0.hasSuffix("x") }, told.reduce(0, +))
        }
        // A log that is closed waits for its reader for some seconds only, and a busy machine may need more.
        let isThere = try await eventually {
            let (kept, told) = lines()
            return kept.count + told == count
        }
        #expect(isThere)
        sink.close()
        close(writer)
        let (kept, told) = lines()
        #expect(kept.count + told == count && sink.lost == count - kept.count)
        #expect(kept.allSatisfy { $0.utf8.count > 90 }, "no line is cut")
    }

    private static func written(_ write: (LogSink) -> Void) async throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/log"
        let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
        let sink = LogSink(descriptor: descriptor)
        write(sink)
        sink.close()
        close(descriptor)
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}
