import ArgumentParser
import RecordWire

/// What this program is.
enum StratusVersion {
    /// The version, by the rules of semantic versioning.
    static let number = "0.1.0"

    /// The system that the program was built for.
    static var platform: String {
        #if os(Linux)
        let system = "linux"
        #elseif os(macOS)
        let system = "macos"
        #else
        let system = "other"
        #endif
        #if arch(x86_64)
        return system + "-x86_64"
        #elseif arch(arm64)
        return system + "-arm64"
        #else
        return system
        #endif
    }
}

/// `stratus version`
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the version of this program.",
        discussion: "EXAMPLE\n  stratus version --json")

    @OptionGroup var output: OutputOptions

    func run() {
        guard output.json else {
            return Console.standard.line(
                "stratus \(StratusVersion.number) (\(StratusVersion.commit), \(StratusVersion.platform))")
        }
        Console.standard.line(
            json: JSONWriter.text { writer in
                writer.beginObject()
                writer.member("version", StratusVersion.number)
                writer.member("commit", StratusVersion.commit)
                writer.member("platform", StratusVersion.platform)
                writer.endObject()
            })
    }
}
