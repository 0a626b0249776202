import RecordModel
import RecordWire

/// The fields of `--sort -rating,name`: the ones with a minus have large values first.
enum SortArgument {
    /// The sort keys.
    static func keys(_ text: String) throws -> [SortDictionary] {
        try text.split(separator: ",").map { part in
            let word = part.filter { !$0.isWhitespace }
            let name = String(word.drop { $0 == "-" || $0 == "+" })
            guard !name.isEmpty else {
                throw Failure.usage(
                    "--sort '\(text)' names no field.", remedy: "It looks like --sort -rating,name.")
            }
            let system = SystemField(spelling: name)
            return SortDictionary(system.map { .system($0) } ?? .field(name), ascending: word.first != "-")
        }
    }
}
