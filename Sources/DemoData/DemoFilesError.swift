/// Why the files of the demo cannot be used.
public struct DemoFilesError: Error, Sendable, CustomStringConvertible {
    /// A name that does not change between versions.
    public let code: String
    /// What is wrong, in a sentence that names the file.
    public let message: String
    /// What to do about it.
    public let remedy: String
    /// What lies beneath.
    public let cause: (any Error)?

    public var description: String { "\(code): \(message)" }

    /// There is no such file, or this user may not read it.
    static func unreadable(_ path: String, _ cause: (any Error)? = nil) -> DemoFilesError {
        DemoFilesError(
            code: "DEMO_FILE_UNREADABLE", message: "The demo's file \(path) cannot be read.",
            remedy: "The folder needs all files that Examples/Demo of the sources has.", cause: cause)
    }

    /// The file is there, and is not what it has to be.
    static func wrong(_ path: String, _ reason: String, _ cause: (any Error)? = nil) -> DemoFilesError {
        DemoFilesError(
            code: "DEMO_FILE_WRONG", message: "The demo's file \(path) cannot be used: \(reason).",
            remedy: "Fix it, or copy the file of that name from Examples/Demo of the sources.", cause: cause)
    }

    /// The file is not the JSON that it has to be.
    static func wrong(_ path: String, _ cause: DecodingError) -> DemoFilesError {
        let reason =
            switch cause {
            case .keyNotFound(let key, let context): "\(place(context))there is no '\(key.stringValue)'"
            case .typeMismatch(_, let context), .valueNotFound(_, let context):
                "\(place(context))there is a value of another type"
            default: "it is not JSON"
            }
        return wrong(path, reason, cause)
    }

    private static func place(_ context: DecodingError.Context) -> String {
        guard !context.codingPath.isEmpty else { return "" }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
        return "at \(path.joined(separator: "/")), "
    }
}
