/// Something that the developer has to change, at its place in the source.
public struct GeneratorDiagnostic: Hashable, Sendable, CustomStringConvertible {
    /// Whether the build goes on.
    public enum Severity: String, Hashable, Sendable {
        /// The build stops.
        case error
        /// The build goes on.
        case warning
    }

    /// Whether the build goes on.
    public var severity: Severity
    /// The file, as it was given.
    public var path: String
    /// The line, counted from 1; nil for the file as a whole.
    public var line: Int?
    /// What is wrong, and what to do.
    public var message: String

    init(_ severity: Severity, at location: SourceLocation, _ message: String) {
        self.severity = severity
        path = location.path
        line = location.line
        self.message = message
    }

    init(_ severity: Severity, path: String, _ message: String) {
        self.severity = severity
        self.path = path
        self.message = message
    }

    /// One line as compilers write it.
    public var description: String {
        "\(path):\(line.map { "\($0):1:" } ?? "") \(severity.rawValue): \(message)"
    }
}
