import ArgumentParser
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import SchemaLanguage

/// `stratus schema import`
struct SchemaImportCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a text the schema of development.",
        discussion: """
            The text replaces development's schema as a whole: types and fields that it lacks go, with their values. \
            What production has cannot go, and cannot change its type. When values of development would be lost, the \
            command lists them and does nothing without --yes; with it they are kept for some days all the same \
            ('stratus schema removed'). With --plan it does what --dry-run showed, or \
            nothing.

            EXAMPLES
              stratus schema import --file schema.ckdb --container iCloud.com.example.app --dry-run
              stratus schema import --file schema.ckdb --container iCloud.com.example.app
            """,
        aliases: ["import-schema"])

    @Option(
        name: .long, help: ArgumentHelp("The file with the text; - is standard input.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("Only development can be imported into.", valueName: "environment"))
    var environment = CloudEnvironment.development.rawValue

    @Flag(help: "Show what would change, and change nothing.")
    var dryRun = false

    @Flag(help: "Delete values of development with the types and fields that are removed.")
    var yes = false

    @Option(
        help: ArgumentHelp(
            "Import only if what would change is still what --dry-run showed.", valueName: "digest"))
    var plan: String?

    @Flag(help: .hidden)
    var validate = false

    @OptionGroup var container: ContainerOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let container = try container.containerID(data)
        guard environment == CloudEnvironment.development.rawValue else {
            throw Failure.usage(
                "A schema can be imported into development only.",
                remedy: "Import it there, then: stratus schema deploy --container \(container)")
        }
        let document = try SchemaFile(path: file).validDocument()
        let shown = try await data.withStore { store in
            let plan = try await store.read(.long) {
                try SchemaText.importPlan(document, container: container, reader: $0)
            }
            guard !document.types.isEmpty || !plan.isEmpty else {
                throw Failure(
                    "\(file) has no record type, so there is nothing to import: \(container) stays as it is.",
                    remedy: "Write CREATE RECORD TYPE statements into it, see 'stratus schema export'.")
            }
            guard plan.refusals.isEmpty else {
                throw Failure(
                    "The schema cannot be imported.\n" + plan.refusals.joined(separator: "\n"),
                    remedy:
                        "Types and fields of production cannot be removed: put them into \(file) as they are, see 'stratus schema export --container \(container) --environment production'."
                )
            }
            if dryRun { return plan }
            if let digest = self.plan, digest != plan.digest {
                throw Failure(
                    "Something else would change than --dry-run showed: the schema or the text changed since.",
                    remedy:
                        "Check what would change: stratus schema import --file \(file) --container \(container) --dry-run"
                )
            }
            guard yes || plan.losses.isEmpty else { throw lossFailure(plan, container) }
            return try await SchemaText.importSchema(
                document, container: container, allowsLoss: yes, expecting: plan.digest, store: store,
                keeping: RemovalKeeping(
                    days: try data.settings().removedSchemaDays, now: { Clock.milliseconds }))
        }
        output.json ? printJSON(shown, container) : printText(shown, document, container)
    }

    private func lossFailure(_ plan: SchemaImportPlan, _ container: ContainerID) -> Failure {
        let lines = plan.losses.map { "  \($0.change) (\(counted($0.records, "record")) of the type)" }
        return Failure(
            "Importing \(file) would lose values of development:\n" + lines.joined(separator: "\n"),
            remedy:
                "To delete them: stratus schema import --file \(ShellWord.quoted(file)) --container \(container) --plan \(plan.digest) --yes"
        )
    }

    private func printText(
        _ plan: SchemaImportPlan, _ document: SchemaDocument, _ container: ContainerID
    ) {
        let console = Console.standard
        for step in plan.steps {
            let isLoss = step.isDestructive && step.records > 0
            console.line("\(step.change)" + (isLoss ? "  (\(counted(step.records, "record")))" : ""))
        }
        if plan.isEmpty {
            console.note("Development of \(container) is as the text says.")
        } else if dryRun {
            let consent = plan.losses.isEmpty ? "" : " --yes"
            console.note(
                "Nothing was changed. Import just this: stratus schema import --file \(file) --container \(container) --plan \(plan.digest)\(consent)"
            )
        } else {
            console.note("Imported \(counted(plan.steps.count, "change")) into development of \(container).")
        }
        let usesGrants = !document.roles.isEmpty || document.types.contains { !$0.grants.isEmpty }
        if usesGrants { console.note(SchemaCommand.grantsNote) }
    }

    private func printJSON(_ plan: SchemaImportPlan, _ container: ContainerID) {
        let json = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("container", container.rawValue)
            writer.member("imported", !dryRun)
            if dryRun { writer.member("plan", plan.digest) }
            writer.key("changes")
            writer.beginArray()
            for step in plan.steps {
                writer.beginObject()
                writer.members(of: step.change)
                writer.member("records", step.records)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
        Console.standard.line(json: json)
    }
}
