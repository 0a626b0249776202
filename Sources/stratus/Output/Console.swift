import Foundation
import RecordWire
import Synchronization

/// Where a command writes: results to one stream, everything about the work to the other.
///
/// A script can rely on standard output to hold results only.
struct Console: Sendable {
    /// The process's own streams.
    static let standard = Console(
        isTerminal: isatty(STDOUT_FILENO) == 1, isErrorTerminal: isatty(STDERR_FILENO) == 1,
        width: Self.terminalWidth,
        output: StandardStream.output.write, error: StandardStream.error.write,
        check: StandardStream.output.check)

    /// Whether results go to a person.
    let isTerminal: Bool
    /// Whether progress goes to a person.
    let isErrorTerminal: Bool
    /// The columns of the terminal.
    let width: Int
    private let output: @Sendable (String) -> Void
    private let error: @Sendable (String) -> Void
    private let check: @Sendable () throws -> Void

    /// Makes a console of its streams, in tests for example.
    ///
    /// - Parameter check: throws when something of the results is lost.
    init(
        isTerminal: Bool, isErrorTerminal: Bool, width: Int, output: @escaping @Sendable (String) -> Void,
        error: @escaping @Sendable (String) -> Void, check: @escaping @Sendable () throws -> Void = {}
    ) {
        self.isTerminal = isTerminal
        self.isErrorTerminal = isErrorTerminal
        self.width = width
        self.output = output
        self.error = error
        self.check = check
    }

    /// Whether somebody is there who reads a question and can answer it.
    var canAsk: Bool { isErrorTerminal && isatty(STDIN_FILENO) == 1 }

    /// Writes a line of the result. What records and other people's files hold does nothing to a terminal.
    func line(_ text: String = "") { output(Self.harmless(text, isTerminal) + "\n") }

    /// Writes a result that has line ends of its own.
    func write(_ text: String) { output(Self.harmless(text, isTerminal)) }

    /// Writes a line of JSON that is encoded already.
    func line(json: [UInt8]) { line(String(decoding: json, as: UTF8.self)) }

    /// Sees to it that a command whose results cannot be written fails: the program asks at its end, and a command
    /// that would go on for long asks in between.
    ///
    /// - Throws: a ``Failure`` with the reason.
    func checkOutput() throws { try check() }

    /// Writes a line about the work.
    func note(_ text: String) { error(Self.harmless(text, isErrorTerminal) + "\n") }

    /// Asks a question, whose answer is typed after it.
    func ask(_ question: String) { error(Self.harmless(question, isErrorTerminal) + " ") }

    /// Shows how far the work is in place of what was shown before; on a terminal only.
    func show(progress text: String) {
        error(Self.clearedLine + TextWidth.truncate(HarmlessText.escaped(text), to: max(20, width - 1)))
    }

    /// Takes away what was shown.
    func clearProgress() { error(Self.clearedLine) }

    /// The beginning of the line, with nothing on it.
    private static let clearedLine = "\r\u{1B}[K"

    private static func harmless(_ text: String, _ isTerminal: Bool) -> String {
        isTerminal ? HarmlessText.escaped(text, keepsLines: true) : text
    }

    /// Says why the command stops.
    func report(_ failure: Failure) {
        note("error: \(failure.sentence)")
        if let remedy = failure.remedy { note("help: \(remedy)") }
    }

    private static var terminalWidth: Int {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        if isKnown { return Int(size.ws_col) }
        return ProcessInfo.processInfo.environment["COLUMNS"].flatMap(Int.init) ?? 100
    }
}

extension Console {
    /// The width that tables have to fit; nil where the reader is a program.
    var tableWidth: Int? { isTerminal ? width : nil }
}
