import ArgumentParser

/// `stratus schema`
struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Show the schema of a container, and bring development's to production.",
        discussion: """
            In development, record types and fields come to be as they are first used. Production accepts only what \
            was deployed, so deploy before you release an app.
            """,
        subcommands: [SchemaShowCommand.self, SchemaDeployCommand.self])
}
