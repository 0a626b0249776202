import CoreFoundation
import Foundation
import RecordImport
import RecordStorageSQLite
import SchemaLanguage
import TestSeeds
import Testing

@testable import stratus

/// What commands read and write where it is not a regular file.
@Suite struct StreamTests {
    private let directory: TemporaryDirectory
    private static let text = "DEFINE SCHEMA\n    RECORD TYPE Note (title STRING QUERYABLE);\n"

    init() throws { directory = try TemporaryDirectory() }

    private func fifo(_ name: String) throws -> String {
        let path = directory.path + "/" + name
        try #require(mkfifo(path, 0o600) == 0)
        return path
    }

    private func kind(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
    }

    /// Fills a pipe on a thread of its own: opening it waits for a reader.
    private func feed(_ path: String, _ text: String) {
        Thread.detachNewThread {
            let handle = FileHandle(forWritingAtPath: path)
            try? handle?.write(contentsOf: Data(text.utf8))
        }
    }

    /// Empties a pipe on a thread of its own, which runs at once: no task may wait for another one's turn here.
    private func drain(_ path: String) -> AsyncStream<String> {
        let (texts, continuation) = AsyncStream<String>.makeStream()
        Thread.detachNewThread {
            let data = try? FileHandle(forReadingAtPath: path)?.readToEnd()
            continuation.yield(String(decoding: data ?? Data(), as: UTF8.self))
            continuation.finish()
        }
        return texts
    }

    @Test func `What cannot be written is an error, a reader that went away is none`() throws {
        let file = try directory.file("readable", "x")
        let handle = try #require(FileHandle(forReadingAtPath: file))
        let stream = StandardStream(handle.fileDescriptor)
        try stream.check()
        stream.write("lost")
        let failure = #expect(throws: Failure.self) { try stream.check() }
        #expect(failure?.exitCode == Failure.failureCode)
        #expect(failure?.sentence == "The output cannot be written: Bad file descriptor.")

        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        signal(SIGPIPE, SIG_IGN)
        let gone = StandardStream(ends[1])
        close(ends[0])
        gone.write("nobody reads it")
        try gone.check()
        close(ends[1])
    }

    @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/full")))
    func `A full disk is an error`() throws {
        let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let stream = StandardStream(descriptor)
        let console = Console(
            isTerminal: false, isErrorTerminal: false, width: 80, output: stream.write, error: { _ in },
            check: stream.check)
        console.line("lost")
        let failure = #expect(throws: Failure.self) { try console.checkOutput() }
        #expect(failure?.sentence.contains("No space left") == true)
    }

    @Test func `A stream that is not ready takes all in the end`() async throws {
        let path = try fifo("slow")
        let read = drain(path)
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let text = String(repeating: "all of it\n", count: 200_000)
        Thread.detachNewThread {
            StandardStream(descriptor).write(text)
            close(descriptor)
        }
        #expect(await read.first { _ in true } == text)
    }

    @Test func `Writing leaves pipes and links what they are`() async throws {
        let pipe = try fifo("pipe")
        let read = drain(pipe)
        try OutputFile.write(Data("through the pipe".utf8), to: pipe)
        #expect(await read.first { _ in true } == "through the pipe")
        #expect(kind(pipe) == S_IFIFO)

        let file = try directory.file("file", "old")
        let link = directory.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "file")
        try OutputFile.write(Data("new".utf8), to: link)
        #expect(kind(link) == S_IFLNK)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "new")

        let dangling = directory.path + "/dangling"
        try FileManager.default.createSymbolicLink(atPath: dangling, withDestinationPath: "made")
        try OutputFile.write(Data("made".utf8), to: dangling)
        #expect(kind(dangling) == S_IFLNK)
        #expect(try String(contentsOfFile: directory.path + "/made", encoding: .utf8) == "made")

        for path in [directory.path, directory.path + "/no/file"] {
            let failure = #expect(throws: Failure.self) { try OutputFile.write(Data(), to: path) }
            #expect(failure?.sentence == "The file \(path) cannot be written.")
            #expect(failure?.remedy != nil)
        }
    }

    @Test func `The report of an import goes through links and pipes`() async throws {
        let problem = RowProblem(line: 7, reason: "wrong", row: .cells(["a"]))
        let pipe = try fifo("report")
        let read = drain(pipe)
        do {
            var problems = try ImportProblems(
                console: MemoryConsole().console(), path: pipe, appends: false)
            try problems.add(problem)
        }
        #expect(await read.first { _ in true }?.contains("\"line\":7") == true)
        #expect(kind(pipe) == S_IFIFO)
        let file = try directory.file("lines", "of before\n")
        let link = directory.path + "/report.jsonl"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "lines")
        for (appends, count) in [(false, 1), (true, 2)] {
            var problems = try ImportProblems(
                console: MemoryConsole().console(), path: link, appends: appends)
            try problems.add(problem)
            let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == count && lines.allSatisfy { $0.contains("\"line\":7") })
        }
        #expect(kind(link) == S_IFLNK)
    }

    @Test func `A pipe is read to its end`() throws {
        let pipe = try fifo("schema")
        let long = Self.text + String(repeating: "-- a remark\n", count: 20_000)
        feed(pipe, long)
        #expect(try FileContents.read(pipe) == Data(long.utf8))
        feed(pipe, Self.text)
        #expect(try SchemaFile(path: pipe).document()["Note"] != nil)
        #expect(throws: Failure.self) { try FileContents.read(directory.path + "/none") }
        #expect(throws: Failure.self) { try FileContents.read(directory.path) }
    }

    @Test func `A pipe is imported as a file is`() async throws {
        let rows = "name,level\n" + (1...30_000).map { "P\($0),\($0)\n" }.joined()
        let file = try InputFile(path: try directory.file("rows.csv", rows), kind: .csv(separator: 0x2C))
        let pipe = try fifo("pipe.csv")
        feed(pipe, rows)
        let stream = try InputFile(path: pipe, kind: .csv(separator: 0x2C))
        #expect(stream.isStream && !file.isStream)
        // The names of records come from it: a second try replaces what the first one sent.
        #expect(stream.fingerprint == file.fingerprint && stream.size == file.size)
        #expect(try stream.sample().count == file.sample().count)
        let memory = MemoryConsole()
        let transport = try await LocalTransport(directory: directory.path + "/data")
        let refusal = TransportAnswer(
            status: 401, body: Array(#"{"serverErrorCode":"AUTHENTICATION_FAILED","reason":"gone"}"#.utf8))
        transport.fail([nil, nil, refusal])
        let mapping = try ImportMapping(
            recordType: "Player", rules: .init(), file: stream, sample: stream.sample())
        let importer = Importer(
            file: stream, mapping: mapping, sender: ImportSender(transport.client(), zone: nil),
            options: .init(), console: memory.console())
        await #expect(throws: (any Error).self) { try await importer.run() }
        // There is no place beside a pipe where an import could go on.
        #expect(!FileManager.default.fileExists(atPath: ImportState.path(for: pipe)))
        #expect(try await importer.run().imported == 30_000)
        #expect(try await transport.count("Player") == 30_000)
        #expect(kind(pipe) == S_IFIFO)
        await transport.store.close()
    }
}
