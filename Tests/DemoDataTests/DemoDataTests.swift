import DemoData
import RecordModel
import RecordWire
import Testing

@Suite struct DemoDataTests {
    private let files: DemoFiles
    private let data: DemoData

    init() throws {
        files = try DemoFiles(folder: demoFolder)
        data = DemoData(files)
    }

    @Test func theSameSeedGivesTheSameBytes() {
        let small = DemoData(files, playerCount: 450, postCount: 300, restaurantCount: 50)
        let first = small.batches(of: 200).map { $0.encoded() }
        let second = DemoData(files, playerCount: 450, postCount: 300, restaurantCount: 50).batches(of: 200)
            .map { $0.encoded() }
        #expect(first == second)
        #expect(first.count == 3 + 2 + 1)
        let other = DemoData(files, playerCount: 450, postCount: 300, restaurantCount: 50, seed: 7)
        #expect(other.batches(of: 200).map { $0.encoded() } != first)
    }

    /// These bytes are a promise: examples and benchmarks rely on them.
    @Test func theFirstPlayerStays() throws {
        let player = data.record(.player, 0)
        #expect(player.recordName == "player-0000001")
        #expect(
            player.fields.map(\.name).sorted() == [
                "bio", "city", "joined", "level", "likes", "location", "name", "position", "rating",
            ])
        #expect(try text(player, "city") == "New York")
    }

    @Test func countsAreAsAskedFor() {
        #expect(data.count == 50_500)
        var counts: [DemoData.Kind: Int] = [:]
        for kind in DemoData.Kind.allCases {
            for request in data.batches(of: 200, kind: kind) {
                #expect(request.operations.count <= Limits.operationsPerRequest)
                counts[kind, default: 0] += request.operations.count
            }
        }
        #expect(counts == [.player: 20_000, .post: 30_000, .restaurant: 500])
        #expect(
            DemoData(files, playerCount: -5, postCount: 0, restaurantCount: 0).batches(of: 200).map { $0 }
                .isEmpty)
    }

    @Test func aLaterStartGivesTheRest() {
        let rest = data.batches(of: 200, kind: .player, from: 19_900).flatMap(\.operations)
        #expect(rest.count == 100)
        #expect(rest.first?.record == data.record(.player, 19_900))
    }

    @Test func playersAreInTheirRanges() throws {
        for index in stride(from: 0, to: 20_000, by: 7) {
            let player = data.record(.player, index)
            try Names.checkRecordName(try #require(player.recordName))
            #expect((1...100).contains(try integer(player, "level")))
            #expect((0...25_000).contains(try integer(player, "likes")))
            let rating = try #require(value(player, "rating").double)
            #expect((1.0...5.0).contains(rating))
            let joined = try integer(player, "joined")
            #expect(joined < data.reference && joined > data.reference - 3_651 * 86_400_000)
            let place = try #require(value(player, "location").object)
            #expect((-90...90).contains(try #require(place["latitude"]?.double)))
            #expect((-180...180).contains(try #require(place["longitude"]?.double)))
            #expect((60...320).contains(try text(player, "bio").count))
        }
    }

    @Test func textIsValidAndWithoutSlots() throws {
        for (kind, step) in [(DemoData.Kind.player, 3), (.post, 5), (.restaurant, 1)] {
            for index in stride(from: 0, to: data.count(of: kind), by: step) {
                let record = data.record(kind, index)
                for (name, field) in record.fields {
                    guard case .string(let text) = field.value else { continue }
                    #expect(!text.isEmpty, "\(kind) \(index) \(name)")
                    #expect(!text.contains("{") && !text.contains("}"), "\(text)")
                    #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
                }
            }
        }
    }

    @Test func neighboursAreNotAlike() throws {
        for kind in DemoData.Kind.allCases {
            var before: [String: JSONValue] = [:]
            for index in 0..<min(2_000, data.count(of: kind)) {
                let fields = Dictionary(
                    data.record(kind, index).fields.map { ($0.name, $0.field.value) },
                    uniquingKeysWith: { $1 })
                let key = kind == .player ? "bio" : kind == .post ? "author" : "location"
                #expect(fields[key] != before[key])
                before = fields
            }
        }
    }

    @Test func authorsArePlayers() throws {
        let few = DemoData(files, playerCount: 30, postCount: 500, restaurantCount: 0)
        for index in 0..<500 {
            let author = try #require(value(few.record(.post, index), "author").object?["recordName"]?.string)
            let number = try #require(Int(author.dropFirst("player-".count)))
            #expect((1...30).contains(number))
        }
    }

    @Test func manyLanguagesAreThere() throws {
        var scripts: Set<String> = []
        for index in 0..<100 {
            for scalar in try text(data.record(.player, index), "bio").unicodeScalars {
                switch scalar.value {
                case 0x0600...0x06FF: scripts.insert("Arabic")
                case 0x0900...0x097F: scripts.insert("Devanagari")
                case 0x3040...0x30FF: scripts.insert("Kana")
                case 0x4E00...0x9FFF: scripts.insert("Han")
                case 0xAC00...0xD7A3: scripts.insert("Hangul")
                case 0x1EA0...0x1EF9: scripts.insert("Vietnamese")
                case 0x0131, 0x011F: scripts.insert("Turkish")
                case 0x00DF, 0x00E4, 0x00F6: scripts.insert("German")
                default: break
                }
            }
        }
        #expect(scripts.count == 8)
        #expect(Set(try (0..<100).map { try text(data.record(.player, $0), "city") }).count == 100)
    }

    private func value(_ record: RecordInput, _ name: String) throws -> JSONValue {
        try #require(record.fields.first { $0.name == name }).field.value
    }

    private func text(_ record: RecordInput, _ name: String) throws -> String {
        try #require(try value(record, name).string)
    }

    private func integer(_ record: RecordInput, _ name: String) throws -> Int64 {
        try #require(try value(record, name).int)
    }
}
