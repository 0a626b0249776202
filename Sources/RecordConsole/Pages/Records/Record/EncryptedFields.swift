import RecordEngine
import RecordModel
import RecordWire

extension JSONObject {
    /// An answer of the service without the encrypted fields of its records, wherever in it these are.
    var withoutEncryptedFields: JSONObject {
        JSONObject(
            members.map { name, value in
                guard name == "fields", let fields = value.object else {
                    return (key: name, value: value.withoutEncryptedFields)
                }
                return (
                    key: name,
                    value: .object(
                        JSONObject(fields.members.filter { !$0.value.isEncryptedField }))
                )
            })
    }
}

extension JSONValue {
    fileprivate var withoutEncryptedFields: JSONValue {
        switch self {
        case .object(let object): .object(object.withoutEncryptedFields)
        case .array(let elements): .array(elements.map(\.withoutEncryptedFields))
        default: self
        }
    }

    fileprivate var isEncryptedField: Bool {
        guard let object, let field = try? WireField(json: object) else { return false }
        return field.isMarkedEncrypted
    }
}

/// Whether a page of a record shows its encrypted fields: only where its address asks for it, and never without an entry
/// in the audit log.
extension RecordsScope {
    private static let item = (name: "encrypted", value: "show")

    /// The scope, which shows encrypted fields if the address asks for them; that is noted first.
    ///
    /// - Parameter name: the record's name.
    func revealing(_ name: String) async throws -> RecordsScope {
        guard context.query[Self.item.name] == Self.item.value else { return self }
        try await audit("record.reveal", name)
        var scope = self
        scope.reveals = true
        return scope
    }

    /// The address of a record's page, which shows encrypted fields if it should.
    func recordHref(_ name: String, view: String? = nil, reveals: Bool) -> String {
        let path = address.recordPath(name, view: view)
        guard reveals else { return href(path) }
        return href(path + (path.contains("?") ? "&" : "?") + "\(Self.item.name)=\(Self.item.value)")
    }
}

extension RecordPage {
    /// Says which fields of a type are encrypted, and what shows or hides them.
    mutating func tellEncryptedFields(of type: RecordType, _ scope: RecordsScope) {
        let names = type.fields.filter { $0.declaration == .encrypted }.map(\.name)
        guard !names.isEmpty else { return }
        encrypted = names.joined(separator: ", ")
        isRevealed = scope.reveals
        revealHref = scope.recordHref(name, view: isJSON ? "json" : nil, reveals: !scope.reveals)
    }
}
