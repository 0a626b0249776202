/// Why a model could not be read or written.
///
/// `description` is the whole message: what is wrong, where, and what to do.
public struct ModelDocumentError: Error, Sendable, CustomStringConvertible {
    enum Kind: Sendable {
        case unreadable(String)
        case noModel(String)
        case noMapping(String)
        case xml(String)
        case mergeConflict
        case value(String, expected: String)
        case missing
        case unknownName(String, what: String)
        case duplicate(String)
        case cycle([String])
        case archive(String)
        case tooLarge(String)
        case notExpressible(String)
    }

    private let kind: Kind
    /// The path of the file, or a word for bytes that came without one.
    public internal(set) var file: String?
    /// The line, counted from 1, where the model is text.
    public let line: Int?
    /// The element and its name, such as `attribute 'title'` of `entity 'Note'`.
    public let element: String?
    /// The XML attribute or the field of the archive.
    public let attribute: String?
    /// The error of the system beneath, where there is one.
    public let cause: (any Error)?

    init(
        _ kind: Kind, file: String? = nil, line: Int? = nil, element: String? = nil, attribute: String? = nil,
        cause: (any Error)? = nil
    ) {
        self.kind = kind
        self.file = file
        self.line = line
        self.element = element
        self.attribute = attribute
        self.cause = cause
    }

    init(_ other: ModelDocumentError, element: String) {
        self.init(
            other.kind, file: other.file, line: other.line, element: element, attribute: other.attribute,
            cause: other.cause)
    }

    /// The error for a mapping model whose model is not where it says.
    package static func missingModel(_ path: String, of file: String) -> ModelDocumentError {
        ModelDocumentError(.unknownName(path, what: "model"), file: file)
    }

    /// A name for the kind of mistake, which does not change between versions.
    public var code: String {
        switch kind {
        case .unreadable: "UNREADABLE_FILE"
        case .noModel: "NO_MODEL"
        case .noMapping: "NO_MAPPING"
        case .xml: "MALFORMED_XML"
        case .mergeConflict: "MERGE_CONFLICT"
        case .value: "INVALID_VALUE"
        case .missing: "MISSING_ATTRIBUTE"
        case .unknownName: "UNKNOWN_NAME"
        case .duplicate: "DUPLICATE_NAME"
        case .cycle: "INHERITANCE_CYCLE"
        case .archive: "MALFORMED_ARCHIVE"
        case .tooLarge: "TOO_LARGE"
        case .notExpressible: "NOT_EXPRESSIBLE"
        }
    }

    /// One sentence about what is wrong.
    public var message: String {
        switch kind {
        case .unreadable(let why): "The file cannot be read: \(why)."
        case .noModel(let why): "There is no model here: \(why)."
        case .noMapping(let why): "There is no mapping model here: \(why)."
        case .xml(let why): "The XML is malformed: \(why)."
        case .mergeConflict: "The file still holds the marks of a merge conflict."
        case .value(let value, let expected): "'\(value)' is not \(expected)."
        case .missing: "A required attribute is missing or empty."
        case .unknownName(let name, let what): "There is no \(what) named '\(name)'."
        case .duplicate(let name): "The name '\(name)' occurs twice."
        case .cycle(let names): "The inheritance goes in a circle: \(names.joined(separator: " > "))."
        case .archive(let why): "The archive of the model is malformed: \(why)."
        case .tooLarge(let what): "The model is too large: \(what)."
        case .notExpressible(let what): "The format cannot hold this: \(what)."
        }
    }

    /// One sentence about what to do.
    public var remedy: String {
        switch kind {
        case .unreadable: "Check the path and the permissions."
        case .noMapping: "Give an .xcmappingmodel, its xcmapping.xml, or a .cdm."
        case .noModel: "Give an .xcdatamodeld, .xcdatamodel, .momd, .mom or the contents file of a model."
        case .xml: "Restore the file from version control, or correct the line by hand."
        case .mergeConflict: "Resolve the conflict in a text editor, keeping one side of the marked lines."
        case .value(_, let expected): "Write \(expected), or remove the attribute."
        case .missing: "Add the attribute."
        case .unknownName(_, let what): "Correct the name, or add the \(what)."
        case .duplicate: "Rename or remove one of the two."
        case .cycle: "Give one of these entities another parent, or none."
        case .archive: "Read the .xcdatamodel that the archive was compiled from."
        case .tooLarge: "Split the model, or check that the file is a model at all."
        case .notExpressible: "Change the value, or use the other format."
        }
    }

    /// Everything, on two lines.
    public var description: String {
        var place: [String] = []
        if let file {
            place.append(line.map { "\(file):\($0)" } ?? file)
        } else if let line {
            place.append("line \(line)")
        }
        if let element { place.append(element) }
        if let attribute { place.append("attribute '\(attribute)'") }
        let start = place.isEmpty ? "" : place.joined(separator: ", ") + ": "
        return "\(start)\(message) (\(code))\n\(remedy)"
    }
}
