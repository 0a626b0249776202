import ArgumentParser

/// `stratus container`
struct ContainerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "container",
        abstract: "Export a whole container as files, and import one.",
        discussion: """
            'stratus import' is for tables: a CSV or JSON Lines file that becomes the records of one type.
            """,
        subcommands: [ContainerExportCommand.self, ContainerImportCommand.self])
}
