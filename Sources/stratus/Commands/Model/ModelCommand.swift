import ArgumentParser

/// `stratus model`
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Check Core Data models.",
        subcommands: [ModelCheckCommand.self])
}
