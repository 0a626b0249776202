/// Rewrites what Linux's compiler rejects and Swift can say otherwise: attributes of Objective-C, `#keyPath`,
/// `#selector`, optional requirements, casts between requests of different results, imports of what is elsewhere.
///
/// The result compiles on Apple's platforms as well. What is in `#if` blocks that Linux never compiles is left.
public struct SourcePorter {
    /// The rewritten text and what was changed.
    public struct Result: Sendable {
        /// One replaced line or run of lines.
        public struct Change: Sendable {
            /// The line, counted from 1.
            public var line: Int
            /// The lines as they were.
            public var old: [String]
            /// The lines as they are now; none where the line went away.
            public var new: [String]
        }

        /// The text after all changes.
        public var text: String
        /// The changes in order.
        public var changes: [Change]
        /// What has to be changed by hand, in order.
        public var remarks: [GeneratorDiagnostic]
        /// Whether the text calls what ``PortingSupport`` declares.
        public var needsSupport: Bool
    }

    /// The rewritten files, in the order in which they were given.
    public let results: [Result]

    /// Rewrites files that belong together: one may observe with a method that another declares.
    public init(_ sources: [(path: String, text: String)]) {
        let files = sources.map { PortedFile(path: $0.path, text: $0.text) }
        let index = PortingIndex(files)
        results = files.map { file in
            var porter = FilePorter(file: file, index: index)
            return porter.run()
        }
    }

    /// Rewrites the text of a file by itself.
    public static func port(_ text: String, path: String) -> Result {
        let file = PortedFile(path: path, text: text)
        var porter = FilePorter(file: file, index: PortingIndex([file]))
        return porter.run()
    }
}

/// Rewrites one file, knowing the others.
struct FilePorter {
    let file: PortedFile
    let index: PortingIndex
    let scopes: [PortedScope]
    var edits = PortingEdits()

    init(file: PortedFile, index: PortingIndex) {
        self.file = file
        self.index = index
        scopes = file.scopes()
    }

    mutating func run() -> SourcePorter.Result {
        for position in file.tokens.indices where !file.excluded[position] {
            let token = file.tokens[position]
            switch token.kind {
            case .punctuation:
                if file.isAt(position, "@") { portAttribute(position) }
                if file.isAt(position, "?") { portOptionalCall(position) }
            case .pound:
                if file.isAt(position, "#keyPath") { portKeyPath(position) }
                if file.isAt(position, "#selector") { portSelector(position) }
            case .identifier: portWord(position)
            case .directive, .literal, .quotedIdentifier: break
            }
        }
        portImports()
        return edits.applied(to: file.bytes)
    }

    /// The innermost type or extension around a token.
    func scope(around position: Int) -> PortedScope? {
        scopes.last { $0.body.contains(position) }
    }
}
