/// A model that was read, with what was odd about it.
public struct ModelReading: Sendable, Hashable {
    /// The model.
    public var document: ModelDocument
    /// Oddities that were read over, each with file, line and element: unknown attributes, names that lead
    /// nowhere, values that were ignored.
    public var warnings: [String]

    /// Makes a reading.
    public init(document: ModelDocument, warnings: [String] = []) {
        self.document = document
        self.warnings = warnings
    }
}
