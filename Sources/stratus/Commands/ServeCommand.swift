import ArgumentParser

/// `stratus serve`
struct ServeCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the record service.",
        discussion: """
            One process, one directory of data. Ctrl-C or SIGTERM stops it: running requests are answered first.

            Each setting is looked for in the flags, then in the environment (STRATUS_DATA, STRATUS_HOST, \
            STRATUS_PORT, STRATUS_PUBLIC_URL, STRATUS_LOG_LEVEL, STRATUS_LOG_FORMAT, STRATUS_PUBLIC_WRITES, STRATUS_INDEXES, \
            STRATUS_DRAIN_SECONDS, STRATUS_TRUSTED_PROXIES, STRATUS_SITE, STRATUS_SECRET), then in the settings file (the one that \
            --config or STRATUS_CONFIG names, stratus.json, or \(SettingsFile.systemPath)), and has a default.

            EXAMPLES
              stratus serve
              stratus serve --data /var/lib/stratus --host 0.0.0.0 --port 80
              stratus serve --site ./public
              STRATUS_PORT=9000 stratus serve --print-config
            """)

    @OptionGroup var data: DataOptions
    @OptionGroup var server: ServerOptions

    @Flag(help: "Show every setting that counts and where it comes from, and do not start.")
    var printConfig = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        var flags = server.flags
        flags[.data] = data.data
        let settings = try ServerSettings.resolve(flags: flags, configuration: data.config)
        guard printConfig else { return try await ServerRunner.run(settings) }
        let console = Console.standard
        if output.json {
            console.line(json: SettingsPrinter.json(settings.effective))
        } else {
            console.line(SettingsPrinter.table(settings.effective, width: console.tableWidth))
        }
    }
}
