/// An element of an XML file with the line it begins on.
struct XMLElement {
    var name: String
    var line: Int
    var attributes: [String: String] = [:]
    var children: [XMLElement] = []
    /// The text between its tags, where the scanner was told to keep it.
    var text = ""

    /// A child of that name, the first.
    func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

    /// The children of that name.
    func children(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }
}
