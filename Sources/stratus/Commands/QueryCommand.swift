import ArgumentParser
import Predicates
import RecordModel
import RecordWire

/// `stratus query`
struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Ask a server for records.",
        discussion: """
            The predicate is written in NSPredicate's format language. On a terminal the answer is a table; with --json \
            it is one record on each line, which 'stratus import' takes again.

            EXAMPLES
              export STRATUS_CONTAINER=iCloud.com.example.app STRATUS_API_TOKEN=…
              stratus query Player 'city == "Berlin" AND rating > 4' --sort -rating,name --limit 10
              stratus query Player 'level >= 90 OR city IN {"Rome", "Oslo"}' --fields name,city,level
              stratus query Player --count
              stratus query Player --all --json > players.jsonl
            """)

    @Argument(help: ArgumentHelp("The record type.", valueName: "type"))
    var type: String

    @Argument(help: ArgumentHelp("Which records; all of them without it.", valueName: "predicate"))
    var predicate: String?

    // Values may begin with a minus, so whatever follows the flag is taken.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The order: fields with commas between them, a minus for large values first.",
            valueName: "fields"))
    var sort: String?

    @Option(help: ArgumentHelp("The most records.", valueName: "number"))
    var limit = 20

    @Option(help: ArgumentHelp("The fields wanted, with commas between them.", valueName: "fields"))
    var fields: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Where an earlier answer ended.", valueName: "marker"))
    var marker: String?

    @Flag(help: "All records, page after page.")
    var all = false

    @Flag(help: "Print only their number.")
    var count = false

    @OptionGroup var remote: RemoteOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be 1 or more.") }
    }

    func run() async throws {
        let request = try request()
        let settings = try remote.settings()
        let console = Console.standard
        let pages = QueryPages(RemoteClient(ServerTransport(settings), onWait: { console.note($0) }))
        if count { return printCount(try await pages.count(request), console) }
        var printer = QueryPrinter(fields: fieldNames, json: output.json, console: console)
        let next = try await pages.forEach(request, limit: all ? nil : limit) { page in
            printer.add(page)
            try console.checkOutput()
        }
        printer.finish(next: next)
    }

    private var fieldNames: [String]? {
        fields.map { $0.split(separator: ",").map { String($0.filter { !$0.isWhitespace }) } }
    }

    /// The request for the first page.
    func request() throws -> RecordsQueryRequest {
        // Checked here as well, where the caret can be shown below the text as it was written.
        if let predicate { _ = try PredicateTree(template: predicate) }
        let keys = try sort.map(SortArgument.keys) ?? []
        let query = QueryDictionary(recordType: type, sortBy: keys, predicate: predicate)
        var request = RecordsQueryRequest(query: query)
        request.zoneID = remote.zone.map { ZoneID(zoneName: $0) }
        request.continuationMarker = marker
        request.desiredKeys = fieldNames
        return request
    }

    private func printCount(_ count: Int, _ console: Console) {
        guard output.json else { return console.line(String(count)) }
        let json = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("count", count)
            writer.endObject()
        }
        console.line(json: json)
    }
}
