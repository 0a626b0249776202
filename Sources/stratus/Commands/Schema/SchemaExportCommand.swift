import ArgumentParser
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import SchemaLanguage

/// `stratus schema export`
struct SchemaExportCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the schema of a container as text.",
        discussion: """
            The text is laid out as Apple's exports are, and sorted, so that it can be kept beside the source code and \
            compared line by line.

            EXAMPLES
              stratus schema export --container iCloud.com.example.app > schema.ckdb
              stratus schema export --container iCloud.com.example.app --environment production --output-file schema.ckdb
            """,
        aliases: ["export-schema"])

    @Option(
        name: [.customLong("output-file"), .customLong("output")],
        help: ArgumentHelp("The file to write. Default: standard output.", valueName: "file"))
    var outputFile: String?

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var ignored: IgnoredOptions
    @OptionGroup var data: DataOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let document = try await data.withStore { store in
            let containers = try await store.read(.short) { try Set($0.tenants().map(\.container)) }
            // A slip of the finger must not become an empty schema in somebody's repository.
            guard containers.contains(tenant.container) else {
                let known = containers.map(\.rawValue).sorted().joined(separator: ", ")
                throw Failure(
                    "There is no container \(tenant.container).",
                    remedy: known.isEmpty ? "This directory has none yet." : "There are: \(known).")
            }
            return SchemaText.document(of: store.schema(of: tenant))
        }
        guard let outputFile, outputFile != "-" else {
            return Console.standard.write(document.description)
        }
        try OutputFile.write(Data(document.description.utf8), to: outputFile)
        Console.standard.note(
            "Wrote \(counted(document.types.count, "record type")) of \(tenant) to \(outputFile).")
    }
}
