import ArgumentParser

/// `stratus predicate`
struct PredicateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "predicate",
        abstract: "Check predicate format strings without running them.",
        subcommands: [PredicateCheckCommand.self])
}
