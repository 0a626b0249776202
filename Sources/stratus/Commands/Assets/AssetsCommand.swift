import ArgumentParser

/// `stratus assets`
struct AssetsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assets",
        abstract: "Check the files of a data directory, and remove those that nothing needs.",
        discussion: """
            A running server sweeps by itself every hour and needs neither. 'verify' is for after a restore, or for \
            disks that are not trusted; 'sweep' frees space at once, with the server stopped.

            EXAMPLES
              stratus assets verify --data /var/lib/stratus
              stratus assets sweep --dry-run
            """,
        subcommands: [AssetsVerifyCommand.self, AssetsSweepCommand.self])
}
