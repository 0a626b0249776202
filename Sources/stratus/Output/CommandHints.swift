import ArgumentParser
import Foundation
import RecordEngine

/// Completes the commands that sentences tell people to paste.
///
/// The modules below do not know where their data lies, and clients of a server must not learn it, so their remedies
/// name no folder. Whoever pastes one next to a folder of another name would ask the wrong database.
struct CommandHints: Sendable, Equatable {
    /// The folder that commands have to name; nil where it is the default one.
    var directory: String?

    /// Takes the folder in use.
    init(directory: String?) {
        self.directory = directory.flatMap { Self.isDefault($0) ? nil : $0 }
    }

    /// The same for commands that are pasted elsewhere: the folder is named from the root.
    var absolute: CommandHints { CommandHints(directory: directory.map(Self.absolute)) }

    /// The text with `--data` after the name of each command in it that works on a folder and names none.
    func completing(_ text: String) -> String {
        guard let directory else { return text }
        let option = " --data " + ShellWord.quoted(directory)
        var result = ""
        var rest = text[...]
        while let match = rest.firstMatch(of: /\bstratus((?: [a-z][a-z\-]*)+)/) {
            let words = match.1.split(separator: " ")
            // The rest of the command: what follows belongs to another one, or is no command any more.
            let end = rest[match.range.upperBound...].firstRange(of: /\n|&&|\bstratus\b/)?.lowerBound
            let isNamed = rest[match.range.upperBound..<(end ?? rest.endIndex)].contains("--data")
            if let depth = Self.dataCommandDepth(words), !isNamed {
                let name = words.prefix(depth).joined(separator: " ")
                result += rest[..<match.range.lowerBound] + "stratus " + name + option
                rest = rest[rest.index(match.range.lowerBound, offsetBy: "stratus ".count + name.count)...]
            } else {
                result += rest[..<match.range.upperBound]
                rest = rest[match.range.upperBound...]
            }
        }
        return result + rest
    }

    /// The failure with its remedy completed.
    func completing(_ failure: Failure) -> Failure {
        var failure = failure
        failure.remedy = failure.remedy.map(completing)
        return failure
    }

    /// How many of the words name a command that takes the data folder; nil where none does.
    private static func dataCommandDepth(_ words: [Substring]) -> Int? {
        var command: any ParsableCommand.Type = Stratus.self
        for (index, word) in words.enumerated() {
            guard
                let next = command.configuration.subcommands.first(where: { $0.names.contains(String(word)) })
            else { return nil }
            command = next
            if command is any DataCommand.Type { return index + 1 }
        }
        return nil
    }

    private static func isDefault(_ directory: String) -> Bool {
        Settings.data.key.defaultValue.map(absolute) == absolute(directory)
    }

    private static func absolute(_ directory: String) -> String {
        URL(fileURLWithPath: directory).standardizedFileURL.path
    }
}

/// A command whose hints name the folder that it works on.
protocol HintingCommand: AsyncParsableCommand {
    var hints: CommandHints { get }
}

/// A command that takes the data folder by `--data`.
protocol DataCommand: HintingCommand {
    var data: DataOptions { get }
}

extension DataCommand {
    var hints: CommandHints { CommandHints(directory: try? data.directory()) }
}
