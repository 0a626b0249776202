import ArgumentParser

/// `stratus serve`
struct ServeCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the record service.",
        discussion: """
            One process, one directory of data. Ctrl-C or SIGTERM stops it: running requests are answered first.

            Each setting is looked for in the flags, then in the environment \
            (\(Settings.server.map(\.environmentName).joined(separator: ", "))), then in the settings file (the one that \
            --config or \(Settings.config.key.environmentName) names, \(SettingsFile.defaultPath), or \(SettingsFile.systemPath)), \
            and has a default.

            EXAMPLES
              stratus serve
              stratus serve --data /var/lib/stratus --host 0.0.0.0 --port 80
              stratus serve --site ./public
              STRATUS_PORT=9000 stratus serve --print-config
            """)

    @OptionGroup var data: DataOptions
    @OptionGroup var server: ServerFlags

    @Flag(help: "Print every setting in effect and where it comes from, and do not start.")
    var printConfig = false

    @OptionGroup var output: OutputOptions

    /// What was given.
    var flags: [SettingKey: String?] { server.flags.merging(data.flags) { $1 } }

    func run() async throws {
        let settings = try ServerSettings.resolve(flags: flags)
        guard printConfig else { return try await ServerRunner.run(settings) }
        let console = Console.standard
        if output.json {
            console.line(json: SettingsPrinter.json(settings.effective))
        } else {
            console.line(SettingsPrinter.table(settings.effective, width: console.tableWidth))
        }
    }
}
