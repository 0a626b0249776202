import ArgumentParser

extension ParsableCommand {
    /// The names by which the command is called.
    static var names: [String] {
        (configuration.commandName.map { [$0] } ?? []) + configuration.aliases
    }
}

/// What somebody meant who wrote a command that there is not.
enum CommandSuggestion {
    /// The parser's message with a suggestion after its first line; nil where there is none.
    static func completing(_ message: String, _ arguments: [String]) -> String? {
        guard let (word, command) = command(for: arguments, of: Stratus.self) else { return nil }
        var lines = message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // Another fault of the call may be what the message is about.
        guard !lines.isEmpty, lines[0].hasSuffix("'\(word)'") else { return nil }
        lines[0] += ". Did you mean '\(command)'?"
        return lines.joined(separator: "\n")
    }

    /// The word that is not a command, and the command, with those above it, that it most likely means; nil where
    /// there is no such word, or no command near it.
    static func command(
        for arguments: [String], of root: any ParsableCommand.Type
    ) -> (word: String, command: String)? {
        var path = [root]
        for argument in arguments where !argument.hasPrefix("-") {
            let commands = path[path.count - 1].configuration.subcommands
            guard !commands.isEmpty else { return nil }
            if let next = commands.first(where: { $0.names.contains(argument) }) {
                path.append(next)
            } else {
                let near = nearest(to: argument, among: commands, by: { $0.names }).map { path + [$0] }
                return (near ?? elsewhere(argument, below: [root])).map { found in
                    (argument, found.compactMap { $0.configuration.commandName }.joined(separator: " "))
                }
            }
        }
        return nil
    }

    /// What has a name that differs least from the word, if it differs little.
    static func nearest<Candidate>(
        to word: String, among candidates: [Candidate], by names: (Candidate) -> [String]
    ) -> Candidate? {
        let distances = candidates.map { candidate in
            (candidate, names(candidate).map { distance(word, $0) }.min() ?? .max)
        }
        // A third of the word may be wrong: more would turn any word into a command.
        guard let best = distances.min(by: { $0.1 < $1.1 }), best.1 <= max(1, word.count / 3) else {
            return nil
        }
        return best.0
    }

    /// The only command of just this name, wherever it stands: `deploy` means `schema deploy`.
    private static func elsewhere(
        _ word: String, below path: [any ParsableCommand.Type]
    ) -> [any ParsableCommand.Type]? {
        var found: [[any ParsableCommand.Type]] = []
        func look(_ path: [any ParsableCommand.Type]) {
            for command in path.last?.configuration.subcommands ?? [] {
                if command.names.contains(word) { found.append(path + [command]) }
                look(path + [command])
            }
        }
        look(path)
        return found.count == 1 ? found[0] : nil
    }

    /// How many letters have to be added, left out, changed or swapped with their neighbour.
    static func distance(_ first: String, _ second: String) -> Int {
        let (a, b) = (Array(first), Array(second))
        var rows = [Array(0...b.count)]
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
