import ArgumentParser
import RecordWire

/// What this program is.
enum StratusVersion {
    /// The version, by the rules of semantic versioning; `-dev` until it is released.
    ///
    /// `cloudkit-core.js` and `openapi.json` say it too; a test compares them.
    static let number = "0.2.0-dev"

    /// What was built or written, but never run against the real thing.
    static let untested = [
        "Apple's platforms: nothing was built or run on macOS, iOS or their relatives",
        "files of Apple's own compiler for mapping models (.cdm)",
    ]

    /// What `--version` prints.
    static var summary: String {
        ([text] + untested.map { "untested: \($0)" }).joined(separator: "\n")
    }

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
            Console.standard.line(
                "stratus \(StratusVersion.number) (\(StratusVersion.commit), \(StratusVersion.platform))")
            for untested in StratusVersion.untested { Console.standard.line("untested: \(untested)") }
            return
        }
        Console.standard.line(
            json: JSONWriter.text { writer in
                writer.beginObject()
                writer.member("version", StratusVersion.number)
                writer.member("commit", StratusVersion.commit)
                writer.member("platform", StratusVersion.platform)
                writer.member("untested", StratusVersion.untested)
                writer.endObject()
            })
    }
}
