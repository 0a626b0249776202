import ArgumentParser
import CoreDataInspection
import Foundation

/// `stratus store inspect`
struct StoreInspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what a Core Data store holds.",
        discussion: """
            Opens a SQLite store of Apple's framework, or of this package, with the model that the store carries; the app \
            is not needed. Stores from before 2015 carry none: their tables are shown by column, unless --model gives \
            the app's model. The file and what is beside it are never changed: a store with a write-ahead log is read \
            from a temporary copy.

            EXAMPLES
              stratus store inspect Moods.sqlite
              stratus store inspect Moods.sqlite --entity Mood --limit 5
              stratus store inspect Moods.sqlite --entity Mood --predicate 'country.name == "Iceland"' --sort name,-date
              stratus store inspect Old.sqlite --model App.xcdatamodeld --json
            """)

    @Argument(help: ArgumentHelp("The file of the store.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("Show objects of this entity.", valueName: "name"))
    var entity: String?

    @Option(help: ArgumentHelp("Show only objects for which this format string holds.", valueName: "format"))
    var predicate: String?

    // A value may begin with a minus.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Sort by these keys; a minus makes one descend.", valueName: "key,-key"))
    var sort: String?

    @Option(help: ArgumentHelp("The most objects to show, 0 for all.", valueName: "number"))
    var limit = 20

    @Option(help: ArgumentHelp("Read the store with this model, instead of its own.", valueName: "path"))
    var model: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let url = URL(fileURLWithPath: file)
        let modelURL = model.map { URL(fileURLWithPath: $0) }
        do {
            guard let entity else {
                guard predicate == nil, sort == nil else {
                    throw Failure.usage(
                        "--predicate and --sort need --entity.", remedy: "Add --entity <name>.")
                }
                return try show(StoreInspector.report(url, model: modelURL))
            }
            let query = RowTable.Query(entity: entity, predicate: predicate, sort: sort, limit: limit)
            try show(RowTable(url, query: query, model: modelURL))
        } catch let error as InspectionError {
            throw Failure("\(error.path): \(error.message)", remedy: error.remedy)
        } catch let error as CocoaError {
            throw Failure(
                error.localizedDescription,
                remedy: error.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String)
        }
    }

    private func show(_ report: StoreReport) throws {
        let console = Console.standard
        if output.json { return console.line(json: try InspectionJSON.bytes(report)) }
        if let reason = report.copiedBecause { console.note("Read from a temporary copy: \(reason).") }
        for line in report.headLines { console.line(line) }
        console.line()
        let columns = [
            Table.Column(title: "ENTITY"), Table.Column(title: "ROWS", isNumber: true),
            Table.Column(title: "WITH SUBENTITIES", isNumber: true), Table.Column(title: "ATTRIBUTES"),
            Table.Column(title: "RELATIONSHIPS"),
        ]
        let rows = report.entities.map { entity in
            [
                entity.parent.map { "\(entity.name): \($0)" } ?? entity.name, Format.grouped(entity.rows),
                Format.grouped(entity.rowsWithSubentities), entity.attributes.joined(separator: ", "),
                entity.relationships.joined(separator: ", "),
            ]
        }
        console.line(Table.text(columns, rows: rows, width: console.tableWidth))
        for note in report.notes { console.note("note: \(note)") }
    }

    private func show(_ table: RowTable) throws {
        let console = Console.standard
        if output.json { return console.line(json: try InspectionJSON.bytes(table)) }
        let columns = table.columns.map { Table.Column(title: $0) }
        let rows = table.rows.map { row in row.map { $0.line ?? "–" } }
        console.line(Table.text(columns, rows: rows, width: console.tableWidth))
        console.note("\(Format.grouped(rows.count)) of \(Format.grouped(table.total)) objects")
    }
}

extension StoreReport {
    /// What is said above the table of entities.
    fileprivate var headLines: [String] {
        var lines = [
            "store       \(path) (\(Format.bytes(bytes)))", "UUID        \(identifier)",
            "framework   \(frameworkVersion.map { "\($0)" } ?? "not stated"), hashes version "
                + (hashesVersion.map { "\($0)" } ?? "not stated"),
        ]
        let model =
            switch modelOrigin {
            case "cache": "from the store"
            case "file": "as given"
            default: "made up from the tables, since the store carries none that can be read"
            }
        lines.append("model       \(model)")
        if !versionIdentifiers.isEmpty {
            lines.append("version     \(versionIdentifiers.joined(separator: ", "))")
        }
        for (key, value) in otherMetadata.sorted(by: { $0.key < $1.key }) {
            lines.append("metadata    \(key) = \(value)")
        }
        let history = historyTransactions.map {
            "\(Format.grouped($0)) transactions, \(Format.grouped(historyChanges ?? 0)) changes"
        }
        lines.append("history     \(history ?? "no tables")")
        let mirroring = mirroringTables.values.reduce(0, +)
        lines.append(
            "CloudKit    "
                + (mirroringTables.isEmpty
                    ? "no tables" : "\(mirroringTables.count) tables, \(Format.grouped(mirroring)) rows"))
        return lines
    }
}
