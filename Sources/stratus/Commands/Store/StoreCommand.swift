import ArgumentParser

/// `stratus store`
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Inspect Core Data stores, Apple's included, and migrate them.",
        subcommands: [StoreInspectCommand.self, StoreCheckCommand.self, StoreMigrateCommand.self])
}
