import RecordEngine
import RecordModel
import RecordStorage
import SchemaLanguage

/// One side of a comparison: an environment, or a file.
enum SchemaSide {
    case environment(CloudEnvironment)
    case file(String)

    /// `development`, `production`, or the path of a file; a file of such a name is `./development`.
    init(_ text: String) {
        self = CloudEnvironment(rawValue: text).map { .environment($0) } ?? .file(text)
    }

    var isFile: Bool {
        if case .file = self { true } else { false }
    }

    /// What the side is called in messages.
    var name: String {
        switch self {
        case .environment(let environment): environment.rawValue
        case .file(let path): path
        }
    }

    /// The schema of the side.
    func document(container: ContainerID, store: any RecordStore) throws -> SchemaDocument {
        switch self {
        case .environment(let environment):
            SchemaText.document(of: store.schema(of: Tenant(container: container, environment: environment)))
        case .file(let path): try SchemaFile(path: path).validDocument()
        }
    }
}
