import ArgumentParser
import AssetStorageFiles
import DemoData
import Foundation
import RecordConsole
import RecordEngine
import RecordStorage
import RecordStorageOpening

/// `stratus demo`
struct DemoCommand: HintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a server with 50,500 records to try.",
        discussion: """
            Makes the container iCloud.stratus.demo with players, posts and restaurants of a hundred cities, prints \
            commands to paste, and serves until Ctrl-C. A second start finds the data and is quick. The tokens are the \
            same on every machine, so do not open the demo to a network.

            EXAMPLES
              stratus demo
              stratus demo --quick                up in seconds, with 2,550 records
              stratus demo --port 9000 --players 100000 --data /tmp/demo
              stratus demo --apps ./my-apps       serves ./my-apps/Hello at /apps/hello/
            """)

    @Option(help: ArgumentHelp("Where the data is kept.", valueName: "directory"))
    var data = "./demo-data"

    @Flag(help: "Make a small demo: 1,000 players and 50 restaurants where no other number is given.")
    var quick = false

    @Option(
        help: ArgumentHelp(
            "The number of players. Default: \(Format.grouped(DemoSize.standard.players)).",
            valueName: "number"))
    var players: Int?

    @Option(
        help: ArgumentHelp(
            "The number of posts. Default: three for every two players.", valueName: "number"))
    var posts: Int?

    @Option(
        help: ArgumentHelp(
            "The number of restaurants, each with a picture. Default: \(DemoSize.standard.restaurants).",
            valueName: "number"))
    var restaurants: Int?

    @Option(
        help: ArgumentHelp(
            "A folder of web apps: each folder in it with an index.html is served at /apps/, then its name. Default: ./Examples, where there is one.",
            valueName: "directory"))
    var apps: String?

    @Option(Settings.demoFiles) var demoFiles: String?

    @Option(
        name: .customLong("courses-url"),
        help: ArgumentHelp("The address of the Courses app, for the guide.", valueName: "address"))
    var coursesURL: String?

    @Option(
        help: ArgumentHelp(
            "\(Settings.store.key.help) Default: SQLite in the data directory.",
            valueName: Settings.store.key.valueName))
    var store: String?

    @OptionGroup var server: ServerFlags

    func validate() throws {
        if let fault = size.fault { throw ValidationError(fault) }
    }

    /// How much data there is to be.
    var size: DemoSize {
        let usual = quick ? DemoSize.quick : .standard
        return DemoSize(
            players: players ?? usual.players, posts: posts, restaurants: restaurants ?? usual.restaurants)
    }

    var hints: CommandHints { CommandHints(directory: data) }

    func run() async throws {
        // What is set for a real server (STRATUS_DATA) must not lead the demo into its data.
        var flags = server.flags
        flags[Settings.data.key] = data
        flags[Settings.store.key] = store ?? "sqlite:"
        let settings = try ServerSettings.resolve(flags: flags)
        let console = Console.standard
        let apps = try appFolders()
        let named = try SettingsLayers(
            flags: [Settings.demoFiles.key: demoFiles], environment: ProcessInfo.processInfo.environment,
            file: [:]
        ).optional(Settings.demoFiles)
        let data = DemoData(
            try DemoFolder.files(named: named), playerCount: size.players, postCount: size.posts,
            restaurantCount: size.restaurants)
        try await Self.prepare(settings, data: data, console: console)
        var consoleSettings = ConsoleSettings(openOperator: DemoAccess.userName)
        consoleSettings.apps = apps.map(\.link) + [coursesURL].compactMap { $0.map(AppFolder.courses) }
        try await ServerRunner.run(settings, console: consoleSettings, apps: apps) { [coursesURL] address in
            // Only once the port is ours: a guide to somebody else's server would mislead.
            let guide = DemoGuide(address: address, apps: apps, coursesURL: coursesURL)
            if let text = try? guide.text() { console.line(text) }
        }
    }

    /// The apps to serve: of the folder that was named, or of the examples where they lie.
    private func appFolders() throws -> [AppFolder] {
        let folder = apps ?? Self.examples
        guard AppFolder.isDirectory(folder) else {
            guard apps != nil else { return [] }
            throw Failure.usage("There is no folder \(folder) of apps.", remedy: "Name one that exists.")
        }
        return try AppFolder.all(in: folder)
    }

    private static let examples = "./Examples"

    /// Fills the directory in this process, and lets go of it for the server.
    static func prepare(_ settings: ServerSettings, data: DemoData, console: Console) async throws {
        let store = settings.sealed(try settings.store.open())
        do {
            let secret = ServiceSecret(bytes: try ServerSecret.key(for: settings))
            try await DemoAccess.grant(in: store)
            let files = try FileAssetStore(
                directory: settings.dataDirectory + "/" + AssetPaths.folderName)
            let service = RecordService(
                store: store, secret: secret, environment: .system, assets: files)
            let written = try await DemoSeeder(service: service, data: data, console: console).fill()
            try await DemoAccess.grantWriting(in: store)
            if written > 0 { console.note("Filled in \(Format.grouped(written)) records.") }
            await store.close()
        } catch {
            await store.close()
            throw error
        }
    }
}
