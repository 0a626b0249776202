import ArgumentParser

/// `stratus store`
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Look into Core Data stores, Apple's too, and migrate them.",
        subcommands: [StoreInspectCommand.self, StoreCheckCommand.self, StoreMigrateCommand.self])
}
