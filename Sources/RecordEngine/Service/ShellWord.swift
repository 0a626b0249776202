/// Texts as words of commands that people paste into a shell.
public enum ShellWord {
    /// The text as one word of a POSIX shell: as it is where that is safe, else in single quotes.
    public static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "_-./:,@+%".utf8.contains(byte)
            }
        }
        return isPlain && !text.isEmpty ? text : inQuotes(text)
    }

    /// The text in single quotes, in which the shell reads nothing.
    ///
    /// By scalars, as a shell reads: a combining mark after a quote makes one Character of both, which no search
    /// for the quote alone would find.
    public static func inQuotes(_ text: String) -> String {
        "'" + text.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
    }
}
