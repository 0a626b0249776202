import Foundation

/// Prints the table, and writes it as JSON where `--json FILE` asks for it.
enum Report {
    static func write(_ lines: [Line], rounds: Int) {
        var text =
            "| work | SQLite C, ms | GRDB records | Stratus | to SQLite C | |\n|---|---|---|---|---|---|\n"
        for line in lines {
            let raw = line.raw.map { String(format: "%.3f", $0) } ?? ""
            let grdb = line.grdb.map { grdb in
                line.raw.map { String(format: "%.3f (%.2f×)", grdb, grdb / $0) }
                    ?? String(format: "%.3f", grdb)
            }
            let ratio = line.raw.map { String(format: "%.2f×", line.objects / $0) } ?? ""
            text +=
                "| \(line.work) | \(raw) | \(grdb ?? "") | \(String(format: "%.3f", line.objects)) | \(ratio) | \(line.note) |\n"
        }
        text += "\nMedians of \(rounds) rounds, in turn, in one process.\n"
        FileHandle.standardOutput.write(Data(text.utf8))
        guard let place = CommandLine.arguments.firstIndex(of: "--json"),
            CommandLine.arguments.indices.contains(place + 1)
        else {
            return
        }
        let json = lines.map { line -> [String: Any] in
            var entry: [String: Any] = [
                "work": line.work, "stratusMilliseconds": line.objects, "note": line.note,
            ]
            entry["sqliteMilliseconds"] = line.raw
            entry["grdbMilliseconds"] = line.grdb
            return entry
        }
        if let data = try? JSONSerialization.data(
            withJSONObject: json, options: [.prettyPrinted, .sortedKeys])
        {
            try? data.write(to: URL(fileURLWithPath: CommandLine.arguments[place + 1]))
        }
    }
}
