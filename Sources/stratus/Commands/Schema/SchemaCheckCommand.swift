import ArgumentParser
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import SchemaLanguage

/// `stratus schema check`
struct SchemaCheckCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check that an environment has the schema of a file, for CI.",
        discussion: """
            Prints what would turn the environment's schema into the file's. The exit code is 1 when they differ, and 1 \
            when the file is not valid. Also says, without changing the exit code, which queries CloudKit's production \
            would refuse for want of an index while this server answers them (see 'serve --indexes apple').

            EXAMPLES
              stratus schema check schema.ckdb --container iCloud.com.example.app --environment production
            """)

    @Argument(help: ArgumentHelp("The file with the text.", valueName: "file"))
    var file: String

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var ignored: IgnoredOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let document = try SchemaFile(path: file).validDocument()
        let diff = try await data.withStore { store in
            SchemaDiff(from: SchemaText.document(of: store.schema(of: tenant)), to: document)
        }
        let refusals = document.types.map { (type: $0.name, sentences: IndexRefusals.sentences(of: $0)) }
            .filter { !$0.sentences.isEmpty }
        output.json ? printJSON(diff, tenant, refusals) : printText(diff, tenant, refusals)
        if !diff.isEmpty { throw ExitCode(Failure.failureCode) }
    }

    private typealias Refusals = [(type: String, sentences: [String])]

    private func printText(_ diff: SchemaDiff, _ tenant: Tenant, _ refusals: Refusals) {
        let console = Console.standard
        defer {
            if !refusals.isEmpty {
                console.line("CloudKit's production would refuse, for lack of an index:")
                for (type, sentences) in refusals {
                    for sentence in sentences { console.line("  \(type): \(sentence)") }
                }
            }
        }
        guard !diff.isEmpty else { return console.line("✓ \(tenant) has the schema of \(file).") }
        for change in diff.changes { console.line(change.description) }
        let importing =
            "stratus schema import --file \(ShellWord.quoted(file)) --container \(tenant.container)"
        let deploying =
            tenant.environment == .production
            ? " && stratus schema deploy --container \(tenant.container)" : ""
        console.report(
            hints.completing(
                Failure(
                    "\(tenant) differs from \(file) in \(counted(diff.changes.count, "place")).",
                    remedy: "Bring the file over: \(importing)\(deploying)")))
    }

    private func printJSON(_ diff: SchemaDiff, _ tenant: Tenant, _ refusals: Refusals) {
        let json = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("file", file)
            writer.member("container", tenant.container.rawValue)
            writer.member("environment", tenant.environment.rawValue)
            writer.member("same", diff.isEmpty)
            writer.key("changes")
            writer.changes(diff.changes)
            writer.key("cloudKitRefuses")
            writer.beginArray()
            for (type, sentences) in refusals {
                for sentence in sentences {
                    writer.beginObject()
                    writer.member("recordType", type)
                    writer.member("queries", sentence)
                    writer.endObject()
                }
            }
            writer.endArray()
            writer.endObject()
        }
        Console.standard.line(json: json)
    }
}
