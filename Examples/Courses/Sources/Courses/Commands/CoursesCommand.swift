import ArgumentParser

/// A content store and a live chapter list on Core Data, in a terminal and in a browser.
@main
struct CoursesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "courses",
        abstract: "A content store and a live chapter list on Core Data, without a Mac.",
        subcommands: [ShowCommand.self, ServeCommand.self], defaultSubcommand: ShowCommand.self)
}
