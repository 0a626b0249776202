import ArgumentParser

/// `stratus schema`
struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Read and write the schema of a container as text, compare and deploy it.",
        discussion: """
            In development, record types and fields are created when they are first used, or imported as text. \
            Production accepts only what was deployed, so deploy before you release an app.

            The text is in the CloudKit schema language (.ckdb files). Commands have cktool's names as well: \
            export-schema, import-schema, validate-schema, reset-schema. All of them work on the data directory, \
            also while a server runs on it, which sees changes within half a second.
            """,
        subcommands: [
            SchemaShowCommand.self, SchemaExportCommand.self, SchemaImportCommand.self,
            SchemaValidateCommand.self, SchemaDiffCommand.self, SchemaCheckCommand.self,
            SchemaDeployCommand.self, SchemaResetCommand.self, SchemaRemovedCommand.self,
            SchemaRestoreCommand.self, SchemaPurgeCommand.self,
        ])

    /// What is said wherever grants are shown or taken in.
    static let grantsNote =
        "Grants count in the public database; 'stratus role give' gives users the roles that the schema declares."
}
