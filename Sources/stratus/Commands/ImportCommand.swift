import ArgumentParser
import FoundationEssentials
import RecordImport
import RecordModel
import RecordWire

/// `stratus import`
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import a CSV or JSON Lines file into a record type.",
        discussion: """
            Each row becomes a record. Columns become fields of the same name; whole numbers become INT64, numbers \
            DOUBLE, complete ISO 8601 times TIMESTAMP, everything else STRING, unless --field says otherwise. An empty \
            cell is a missing value. Files of any size take the same memory.

            An interrupted import continues when the same command is run again: how far it got \
            is noted in FILE.stratus-import. Record names come from --name-field, or else from the file and the line, so \
            a row that is sent twice is stored once. A pipe, or - for standard input, is copied to a temporary file \
            first and always imported from the beginning.

            The exit code is 0 when the file is imported, with --on-error skip also when rows were skipped; 1 when the \
            import stopped, when all rows were rejected, or when --dry-run found rows that cannot be \
            imported; 64 when the arguments are wrong.

            EXAMPLES
              stratus import players.csv --type Player --container iCloud.com.example.app --dry-run
              stratus import players.csv --type Player --container iCloud.com.example.app \\
                --name-field id --field joined:TIMESTAMP --field 'tags:LIST<STRING>' --location home=lat,lon
              stratus import posts.jsonl --type Post --container iCloud.com.example.app --on-error skip --errors bad.jsonl

              stratus query Post --all --json | stratus import - --format jsonl --type Copy --container iCloud.com.example.app

            Writing needs a user: give --web-auth-token, or better STRATUS_WEB_AUTH_TOKEN.
            """)

    @Argument(
        help: ArgumentHelp("The file: .csv, .tsv, .jsonl or .ndjson; - is standard input.", valueName: "file")
    )
    var file: String

    @Option(help: ArgumentHelp("The record type.", valueName: "name"))
    var type: String

    @Option(
        help: ArgumentHelp("csv, tsv or jsonl, when the file's name does not say so.", valueName: "format"))
    var format: String?

    @Option(
        help: ArgumentHelp(
            "The separator of cells. Default: whichever the heading has most of: , ; | or a tab.",
            valueName: "character"))
    var separator: String?

    @Option(
        help: ArgumentHelp(
            "How the text is written: utf-8, windows-1252 or utf-16. Default: found out from the beginning of the file.",
            valueName: "encoding"))
    var encoding: TextEncoding?

    @Option(
        help: ArgumentHelp(
            "The decimal separator: point or comma. Default: a comma where cells are separated by semicolons and numbers have commas.",
            valueName: "sign"))
    var decimal: DecimalSign?

    @Option(
        help: ArgumentHelp("The column of record names, which is not a field.", valueName: "column")
    )
    var nameField: String?

    @Flag(
        help:
            "Make a record name of file and line where the column of --name-field is empty. Default: such rows are rejected."
    )
    var makeNames = false

    @Option(
        help: ArgumentHelp(
            "A column and its type: STRING, INT64, DOUBLE, TIMESTAMP (ISO 8601 or milliseconds), BYTES (base64), REFERENCE (a record name), LOCATION (latitude,longitude) or LIST<…> (elements separated by ';').",
            valueName: "column:TYPE"))
    var field: [FieldRule] = []

    @Option(
        help: ArgumentHelp("A LOCATION field made of two columns.", valueName: "field=latitude,longitude"))
    var location: [LocationRule] = []

    @Option(help: ArgumentHelp("The field that a column becomes.", valueName: "column=field"))
    var rename: [RenameRule] = []

    @Option(help: ArgumentHelp("A column to leave out.", valueName: "column"))
    var ignore: [String] = []

    @Option(help: "What to do about a row that cannot be imported.")
    var onError: Importer.OnError = .stop

    @Option(
        help: ArgumentHelp(
            "Write the rows that fail as JSON Lines: line, reason, and the row where it can be read.",
            valueName: "file"))
    var errors: String?

    @Option(help: ArgumentHelp("How many requests are sent at once.", valueName: "number"))
    var concurrency = 4

    @Flag(help: "Start over instead of continuing an interrupted import.")
    var restart = false

    @Flag(help: "Check every row, send nothing.")
    var dryRun = false

    @OptionGroup var remote: RemoteOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !makeNames || nameField != nil else {
            throw ValidationError(
                "--make-names needs --name-field; without it all names are made of file and line.")
        }
        guard (1...64).contains(concurrency) else {
            throw ValidationError("--concurrency must be 1 to 64.")
        }
        guard separator.map({ $0.count == 1 && $0.utf8.count == 1 && $0 != "\"" }) ?? true else {
            throw ValidationError("--separator must be one ASCII character, and not a quote.")
        }
    }

    func run() async throws {
        let console = Console.standard
        let kind = try InputFile.kind(of: file, format: format, separator: separator?.first)
        let input = try InputFile(
            path: file, kind: kind, encoding: encoding,
            // A .tsv file says what it is separated by.
            findsSeparator: separator == nil && kind == .csv(separator: UInt8(ascii: ",")))
        let sample = try input.sample()
        let usesSemicolons = input.kind == .csv(separator: UInt8(ascii: ";"))
        let rules = ImportMapping.Rules(
            types: field, locations: location, renames: rename, ignored: ignore, nameField: nameField,
            makesNames: makeNames,
            hasDecimalComma: decimal.map { $0 == .comma }
                ?? (usesSemicolons && DecimalComma.isUsed(in: sample)))
        let mapping = try ImportMapping(recordType: type, rules: rules, file: input, sample: sample)
        if let found = input.finding(hasDecimalComma: rules.hasDecimalComma) { console.note(found) }
        var options = Importer.Options(
            onError: onError, concurrency: concurrency, isDryRun: dryRun, restart: restart, errorsPath: errors
        )
        var sender: ImportSender?
        if !dryRun {
            let settings = try remote.settings()
            options.destination = settings.destination
            let transport = ServerTransport(settings, connections: concurrency)
            // A wrong address or token is reported at once; later the server may be away for a while.
            _ = try await RemoteClient(transport).send(.usersCaller, EmptyRequest())
            let waits = RepeatedNotes(console)
            let client = RemoteClient(transport, patience: .long, onWait: { waits.note($0) })
            sender = ImportSender(client, zone: settings.zone)
        }
        if dryRun, !output.json { show(mapping, console) }
        let summary = try await Importer(
            file: input, mapping: mapping, sender: sender, options: options, console: console
        ).run()
        report(summary, console)
        if summary.rejected > 0, dryRun || summary.imported == 0 { throw ExitCode(Failure.failureCode) }
    }

    private func show(_ mapping: ImportMapping, _ console: Console) {
        let titles = ["COLUMN", "FIELD", "TYPE"]
        console.line(
            Table.text(
                titles.map { Table.Column(title: $0) },
                rows: mapping.summary.map { [$0.column, $0.field, $0.type] },
                width: console.tableWidth))
    }

    private func report(_ summary: Importer.Summary, _ console: Console) {
        if output.json {
            let json = JSONWriter.text { writer in
                writer.beginObject()
                writer.member("dryRun", dryRun)
                writer.member("imported", dryRun ? 0 : summary.imported)
                writer.member("valid", dryRun ? summary.imported : nil as Int?)
                writer.member("rejected", summary.rejected)
                writer.endObject()
            }
            return console.line(json: json)
        }
        let verb = dryRun ? "rows are good" : "records imported"
        console.line(
            "\(Format.grouped(summary.imported)) \(verb), \(Format.grouped(summary.rejected)) rejected.")
    }
}

extension Importer.OnError: ExpressibleByArgument {}

extension TextEncoding: ExpressibleByArgument {}

/// What stands between the whole part of a number and its fraction.
enum DecimalSign: String, CaseIterable, ExpressibleByArgument {
    case point
    case comma
}

extension InputFile {
    /// What was found out about a file that is written in another way than most, in a sentence; nil for others.
    func finding(hasDecimalComma: Bool) -> String? {
        var parts: [String] = []
        if encoding != .utf8 { parts.append("written in \(encoding.rawValue)") }
        if case .csv(let byte) = kind, ![UInt8(ascii: ","), UInt8(ascii: "\t")].contains(byte) {
            parts.append("separated by '\(UnicodeScalar(byte))'")
        }
        if hasDecimalComma { parts.append("with decimal commas") }
        return parts.isEmpty ? nil : "\(path) is taken as \(parts.joined(separator: ", "))."
    }
}

extension RemoteSettings {
    /// The database in words, for the state file of an import: tokens are no part of it.
    var destination: String {
        "\(tenant) \(scope.rawValue)\(zone.map { " zone \($0.zoneName)" } ?? "") at \(url.absoluteString)"
    }
}
