import ArgumentParser

/// `stratus assets verify`
struct AssetsVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read every file, and compare it with the digest that is its name.",
        discussion: """
            Names each file that is missing or damaged, with the records that refer to it, and says what puts it right. \
            Nothing is changed, and a server may run. The exit code is 1 when something is wrong.

            EXAMPLES
              stratus assets verify
              stratus assets verify --data /var/lib/stratus --json > faults.json
              stratus assets verify --quick
            """)

    @Flag(help: "Check names and lengths only, without reading the files.")
    var quick = false

    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let directory = try data.databaseDirectory()
        let console = Console.standard
        let progress = ProgressLine("Reading files", unit: "files", console: console)
        let report = try AssetVerification(
            directory: directory, readsFiles: !quick, onProgress: progress.update
        ).run()
        progress.finish()
        output.json ? console.line(json: report.json) : console.line(report.text(readsFiles: !quick))
        guard !report.faults.isEmpty else { return }
        console.note("help: \(AssetVerification.remedy)")
        throw ExitCode(Failure.failureCode)
    }
}
