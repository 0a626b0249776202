package import HTTPTypes

extension HTTPField.Name {
    /// A name that stands in the source. A wrong one stops the first test, and never becomes another header, on which
    /// a check would rest.
    package static func constant(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("'\(text)' is no name of a header") }
        return name
    }
}
