import ArgumentParser
import Foundation
import RecordModel
import RecordStorageSQLite
import RecordWire
import TestSeeds
import Testing

@testable import RecordImport
@testable import stratus

@Suite struct ImportTests {
    private let directory: TemporaryDirectory
    private let memory = MemoryConsole()

    init() throws { directory = try TemporaryDirectory() }

    private func importer(
        _ path: String, _ transport: LocalTransport?, rules: ImportMapping.Rules = .init(),
        options: Importer.Options = .init()
    ) throws -> Importer {
        let file = try InputFile(path: path, kind: InputFile.kind(of: path, format: nil, separator: nil))
        let mapping = try ImportMapping(recordType: "Player", rules: rules, file: file, sample: file.sample())
        return Importer(
            file: file, mapping: mapping, sender: transport.map { ImportSender($0.client(), zone: nil) },
            options: options, console: memory.console())
    }

    private func lines(_ count: Int) -> String {
        "name,level,rating,joined\n"
            + (1...count).map { "P\($0),\($0),\($0).5,2024-01-01T00:00:00Z\n" }.joined()
    }

    @Test func rowsBecomeRecords() async throws {
        let transport = try await LocalTransport(directory: directory.path + "/data")
        let path = try directory.file("players.csv", lines(1_050))
        let summary = try await importer(path, transport).run()
        #expect(summary == .init(imported: 1_050, rejected: 0))
        #expect(try await transport.count("Player") == 1_050)
        let one = try #require(try await transport.records("Player", "level == 7").first)
        #expect(one.fields["name"] == .string("P7"))
        #expect(one.fields["rating"] == .double(7.5))
        #expect(one.fields["joined"] == .timestamp(1_704_067_200_000))
        #expect(!FileManager.default.fileExists(atPath: ImportState.path(for: path)))
        // Once more changes nothing: the names come from the file.
        #expect(try await importer(path, transport).run().imported == 1_050)
        #expect(try await transport.count("Player") == 1_050)
        await transport.store.close()
    }

    @Test func anInterruptedImportGoesOn() async throws {
        let transport = try await LocalTransport(directory: directory.path + "/data")
        let path = try directory.file("players.csv", lines(1_000))
        var options = Importer.Options()
        options.concurrency = 1
        // The third request is refused for good.
        let refusal = TransportAnswer(
            status: 401, body: Array(#"{"serverErrorCode":"AUTHENTICATION_FAILED","reason":"gone"}"#.utf8))
        transport.fail([nil, nil, refusal])
        await #expect(throws: (any Error).self) {
            try await importer(path, transport, options: options).run()
        }
        let state = try #require(
            ImportState(json: Array(try Data(contentsOf: URL(fileURLWithPath: ImportState.path(for: path))))))
        #expect(state.place.imported == 400)
        #expect(state.place.line == 402)
        let before = transport.requests
        #expect(try await importer(path, transport, options: options).run().imported == 1_000)
        #expect(transport.requests - before == 3)
        #expect(try await transport.count("Player") == 1_000)
        await transport.store.close()
    }

    @Test func anotherImportDoesNotGoOn() async throws {
        let path = try directory.file("players.csv", lines(10))
        let file = try InputFile(path: path, kind: .csv(separator: 0x2C))
        let place = AcknowledgedFrontier.Place(offset: 25, line: 2, imported: 0, rejected: 0)
        try ImportState(fingerprint: file.fingerprint, target: "Player of a", place: place).save(for: path)
        #expect(try ImportState.start(of: file, target: "Player of a", restart: false) == place)
        #expect(try ImportState.start(of: file, target: "Player of b", restart: true).offset == 0)
        #expect(throws: Failure.self) {
            try ImportState.start(of: file, target: "Player of b", restart: false)
        }
        _ = try directory.file("players.csv", lines(11))
        let changed = try InputFile(path: path, kind: .csv(separator: 0x2C))
        #expect(throws: Failure.self) {
            try ImportState.start(of: changed, target: "Player of a", restart: false)
        }
        _ = try directory.file("players.csv.stratus-import", "nonsense")
        #expect(throws: Failure.self) {
            try ImportState.start(of: changed, target: "Player of a", restart: false)
        }
    }

    /// Each flag that changes what becomes of a row makes another import, whose rows would stand beside the first ones.
    @Test func anotherMappingDoesNotGoOn() throws {
        let path = try directory.file("players.csv", lines(10))
        let base = ImportMapping.Rules(nameField: "name")
        let other: [ImportMapping.Rules] = [
            .init(), .init(nameField: "level"), .init(nameField: "name", makesNames: true),
            .init(ignored: ["level"], nameField: "name"),
            .init(renames: [RenameRule(argument: "level=rank")].compactMap { $0 }, nameField: "name"),
            .init(types: [FieldRule(argument: "level:STRING")].compactMap { $0 }, nameField: "name"),
            .init(
                locations: [LocationRule(argument: "at=level,rating")].compactMap { $0 }, nameField: "name"),
        ]
        let first = try importer(path, nil, rules: base)
        let place = AcknowledgedFrontier.Place(offset: 25, line: 2, imported: 0, rejected: 0)
        try ImportState(fingerprint: first.file.fingerprint, target: first.target, place: place)
            .save(for: path)
        #expect(try ImportState.start(of: first.file, target: first.target, restart: false) == place)
        for rules in other {
            let target = try importer(path, nil, rules: rules).target
            let failure = #expect(throws: Failure.self) {
                try ImportState.start(of: first.file, target: target, restart: false)
            }
            #expect(failure?.sentence.contains("was another import") == true)
            #expect(failure?.remedy?.contains("--restart") == true)
        }
        #expect(InputFile.Kind.csv(separator: 44).flags != InputFile.Kind.csv(separator: 59).flags)
    }

    @Test func temporaryRefusalsAreTriedAgain() async throws {
        let transport = try await LocalTransport(directory: directory.path + "/data")
        let path = try directory.file("players.csv", lines(3))
        let busy = TransportAnswer(
            status: 503,
            body: Array(#"{"serverErrorCode":"TRY_AGAIN_LATER","reason":"busy","retryAfter":0}"#.utf8))
        transport.fail([busy, TransportAnswer(status: 502, body: Array("<html>".utf8))])
        #expect(try await importer(path, transport).run().imported == 3)
        #expect(transport.requests == 3)
        await transport.store.close()
    }

    @Test func badLinesAreNamedAndSkipped() async throws {
        let transport = try await LocalTransport(directory: directory.path + "/data")
        let path = try directory.file("p.csv", "id,level\na,1\nb,many\n_c,3\nd\na,5\ne,6\n")
        var options = Importer.Options()
        options.onError = .skip
        options.errorsPath = directory.path + "/bad.jsonl"
        let rules = ImportMapping.Rules(
            types: [FieldRule(argument: "level:INT64")].compactMap { $0 }, nameField: "id")
        let summary = try await importer(path, transport, rules: rules, options: options).run()
        #expect(summary == .init(imported: 2, rejected: 4))
        let report = try String(contentsOfFile: directory.path + "/bad.jsonl", encoding: .utf8)
        let numbers = try report.split(separator: "\n").map {
            try JSONReader.read(Array($0.utf8)).object?["line"]?.int
        }
        #expect(numbers == [3, 4, 5, 6])
        #expect(report.contains(#""row":{"id":"b","level":"many"}}"#))
        #expect(report.contains(#""row":["d"]}"#))
        #expect(memory.error.contains("line 3: level: 'many' is not of type INT64."))
        #expect(Set(try await transport.records("Player").map(\.recordName)) == ["a", "e"])
        await transport.store.close()
    }

    /// The rule of the console: with it, empty names are made of file and line, so sending again changes nothing.
    @Test func emptyNamesAreMadeWhereThatIsAskedFor() async throws {
        let transport = try await LocalTransport(directory: directory.path + "/data")
        let path = try directory.file("p.csv", "id,level\na,1\n,2\n")
        var options = Importer.Options()
        options.onError = .skip
        let refusing = ImportMapping.Rules(nameField: "id")
        #expect(
            try await importer(path, transport, rules: refusing, options: options).run()
                == .init(imported: 1, rejected: 1))
        #expect(memory.error.contains("--make-names"))
        let making = ImportMapping.Rules(nameField: "id", makesNames: true)
        for _ in 0..<2 {
            let summary = try await importer(path, transport, rules: making, options: options).run()
            #expect(summary == .init(imported: 2, rejected: 0))
        }
        let names = try await transport.records("Player").map(\.recordName)
        #expect(names.count == 2 && names.contains("a"))
        #expect(names.contains { $0.hasPrefix("import-") && $0.hasSuffix("-0000000003") })
        await transport.store.close()
    }

    /// The last of two columns would count, and the other one be lost without a word.
    @Test(arguments: ["id,id,n\na,b,1\n", "id,lat,lat,lon\na,1,2,3\n", "id,n,n\na,1,2\n"])
    func aColumnThatIsThereTwiceIsRefused(text: String) throws {
        let path = try directory.file("twice.csv", text)
        let home = LocationRule(field: "home", latitude: "lat", longitude: "lon")
        let rules = ImportMapping.Rules(locations: text.contains("lat") ? [home] : [], nameField: "id")
        #expect(throws: (any Error).self) { try importer(path, nil, rules: rules) }
    }

    @Test func theServersRefusalsHaveLines() async throws {
        let transport = try await LocalTransport(directory: directory.path + "/data")
        _ = try await importer(try directory.file("first.csv", "level\n1\n"), transport).run()
        let path = try directory.file("second.csv", "level\n\"x\"\n")
        await #expect(throws: Failure.self) { try await importer(path, transport).run() }
        #expect(memory.error.contains("line 2: BAD_REQUEST"))
        #expect(memory.error.contains("add --field 'level:INT64'"))
        #expect(FileManager.default.fileExists(atPath: path))
        await transport.store.close()
    }

    /// Rows that the server refuses and those refused before stand in the report as they stand in the file.
    @Test func theReportHasTheOrderOfTheFile() async throws {
        let transport = try await LocalTransport(directory: directory.path + "/data")
        _ = try await importer(try directory.file("first.jsonl", #"{"level":1}"#), transport).run()
        let text = (2...900).map { line in
            line % 3 == 0
                ? #"{"level":"x"}"# : line % 5 == 0 ? #"{"bad key":1}"# : #"{"level":\#(line)}"#
        }
        var options = Importer.Options()
        options.onError = .skip
        options.errorsPath = directory.path + "/bad.jsonl"
        let path = try directory.file("second.jsonl", text.joined(separator: "\n"))
        let summary = try await importer(path, transport, options: options).run()
        #expect(summary.imported + summary.rejected == 899)
        let report = try String(contentsOfFile: directory.path + "/bad.jsonl", encoding: .utf8)
        let numbers = try report.split(separator: "\n").compactMap {
            try JSONReader.read(Array($0.utf8)).object?["line"]?.int
        }
        #expect(numbers.count == summary.rejected && summary.rejected > 400)
        #expect(numbers == numbers.sorted())
        #expect(report.contains("--rename 'bad key=badKey'"))
        await transport.store.close()
    }

    @Test func whatIsNoInputIsSaidPlainly() throws {
        let folder = #expect(throws: Failure.self) {
            try InputFile(path: directory.path, kind: .jsonLines)
        }
        #expect(folder?.sentence.contains("is a folder") == true)
        let format = #expect(throws: Failure.self) {
            try InputFile.kind(of: "players.csv", format: "xml", separator: nil)
        }
        #expect(format?.sentence == "The format 'xml' is not known.")
        #expect(format?.remedy?.contains("csv, tsv and jsonl") == true)
        let zone = ["Player", "--zone", "z", "--container", "c"]
        #expect(throws: (any Error).self) { try QueryCommand.parse(zone) }
        #expect(throws: Never.self) { try QueryCommand.parse(zone + ["--database", "private"]) }
    }

    @Test func aDryRunSendsNothing() async throws {
        var options = Importer.Options()
        options.isDryRun = true
        let path = try directory.file("p.csv", "a,b\n1,2\n3\n")
        #expect(try await importer(path, nil, options: options).run() == .init(imported: 1, rejected: 1))
        #expect(!FileManager.default.fileExists(atPath: ImportState.path(for: path)))
    }

    @Test func whatAQueryPrintsIsTakenAgain() async throws {
        let transport = try await LocalTransport(directory: directory.path + "/data")
        let line =
            #"{"recordName":"r1","recordType":"Player","fields":{"at":{"value":5,"type":"TIMESTAMP"}},"deleted":false}"#
        #expect(try await importer(try directory.file("p.jsonl", line), transport).run().imported == 1)
        let record = try #require(try await transport.records("Player").first)
        #expect(record.recordName == "r1")
        #expect(record.fields == ["at": .timestamp(5)])
        await transport.store.close()
    }

    @Test func jsonLinesKeepTheirShapes() async throws {
        let transport = try await LocalTransport(directory: directory.path + "/data")
        let text = """
            {"n":4,"b":true,"tags":["x","y"],"place":{"latitude":1.5,"longitude":2},"gone":null,"at":{"value":5,"type":"TIMESTAMP"}}
            {"n":4.5}
            """
        #expect(try await importer(try directory.file("p.jsonl", text), transport).run().imported == 2)
        let record = try #require(try await transport.records("Player", "b == 1").first)
        #expect(record.fields["n"] == .double(4))
        #expect(record.fields["tags"] == .list([.string("x"), .string("y")], of: .string))
        #expect(record.fields["at"] == .timestamp(5))
        #expect(record.fields["place"]?.type == FieldType(.location))
        #expect(record.fields["gone"] == nil)
        await transport.store.close()
    }
}

@Suite struct AcknowledgedFrontierTests {
    /// In whatever order batches end, the place never passes one that did not.
    @Test func thePlaceHasNoGaps() {
        let start = AcknowledgedFrontier.Place(offset: 0, line: 1, imported: 0, rejected: 0)
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [2, 0, 3, 1]] {
            var frontier = AcknowledgedFrontier(start)
            var done: Set<Int> = []
            for number in order {
                let offset = Int64(number + 1) * 100
                frontier.complete(number, .init(offset: offset, line: number + 2, imported: 10, rejected: 1))
                done.insert(number)
                let without = (0...4).first { !done.contains($0) } ?? 0
                #expect(frontier.place.offset == Int64(without) * 100)
                #expect(frontier.place.imported == without * 10)
            }
            #expect(frontier.place == .init(offset: 400, line: 5, imported: 40, rejected: 4))
        }
    }

    @Test func theStateSurvivesItsFile() {
        let place = AcknowledgedFrontier.Place(offset: 9_000_000_000, line: 7, imported: 5, rejected: 1)
        let state = ImportState(fingerprint: "ab", target: "Player of \"x\"", place: place)
        #expect(ImportState(json: state.json) == state)
        #expect(ImportState(json: Array("{}".utf8)) == nil)
    }

    /// The counts of an import go on from those of its state, so these must leave room.
    @Test(arguments: ["offset", "line", "imported", "rejected"], [Int64.min, -1, .max - 1, .max])
    func aStateWithCountsThatNoImportHasIsNone(name: String, count: Int64) throws {
        var members = ["offset": 9, "line": 2, "imported": 1, "rejected": 1].mapValues(Int64.init)
        members[name] = count
        let counts = members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
        let json = "{\"version\":1,\"fingerprint\":\"a\",\"target\":\"b\",\(counts)}"
        let state = ImportState(json: Array(json.utf8))
        // An offset beyond the file is found when it is compared with the file.
        #expect(state == nil || (name == "offset" && count > 0))
    }
}
