import ArgumentParser

/// The flags of the server's settings.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The address to listen at; 0.0.0.0 for all. Default: 127.0.0.1.", valueName: "address"))
    var host: String?

    @Option(help: ArgumentHelp("The port to listen at. Default: 8080.", valueName: "number"))
    var port: String?

    @Option(
        name: .customLong("public-url"),
        help: ArgumentHelp(
            "The address by which clients reach the server through a proxy. Default: what each request names.",
            valueName: "address"))
    var publicURL: String?

    @Option(
        help: ArgumentHelp(
            "trace, debug, info, notice, warning, error or critical. Default: info.", valueName: "level"))
    var logLevel: String?

    @Option(
        help: ArgumentHelp(
            "auto, text or json. Default: auto, which is text on a terminal and JSON otherwise.",
            valueName: "format"))
    var logFormat: String?

    @Option(
        help: ArgumentHelp(
            "Who may change records of a public database: creator (only their creators) or users (everybody who signed in). Default: creator.",
            valueName: "policy"))
    var publicWrites: String?

    @Option(
        help: ArgumentHelp(
            "Which indexes production asks for: open (every record can be asked for by its system fields) or apple (what CloudKit would refuse is refused). Default: open.",
            valueName: "rules"))
    var indexes: String?

    @Option(
        help: ArgumentHelp(
            "How long running requests may continue when the server is asked to stop. Default: 10.",
            valueName: "seconds"))
    var drainSeconds: String?

    @Option(
        help: ArgumentHelp(
            "The addresses of the proxies in front of the server, with commas between them: their X-Forwarded-For says whose share of the connections and requests is used. Proxies on this machine need not be named. Default: none.",
            valueName: "addresses"))
    var trustedProxies: String?

    @Option(
        help: ArgumentHelp(
            "A folder of files to serve at every address that the server itself does not use. Scripts and styles must be files of their own there, not inline. Default: none.",
            valueName: "directory"))
    var site: String?

    /// What was given.
    var flags: [SettingKey: String?] {
        [
            .host: host, .port: port, .publicURL: publicURL, .logLevel: logLevel, .logFormat: logFormat,
            .publicWrites: publicWrites, .indexes: indexes,
            .drainSeconds: drainSeconds, .trustedProxies: trustedProxies, .site: site,
        ]
    }
}
