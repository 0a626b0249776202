/// Bodies whose encrypted fields are sealed: what stores keep. Nothing of it is sent.
///
/// A sealed body begins with a member that no other body has, so that telling it from others costs a comparison of some
/// bytes. The value of each field that was marked as encrypted is a text in base64 in it; opened, the body is byte for
/// byte what it was.
extension RecordBody {
    /// How a sealed body begins. Its number is that of the way in which fields are sealed.
    private static let sealedPrefix = Array("{\"sealed\":1,".utf8)

    /// What follows the value of an encrypted field in a body that is not sealed; nowhere else, since quotes in text are
    /// escaped.
    private static let mark = ByteSearch("\"isEncrypted\":true")
    private static let bytesTag = ByteSearch("\"type\":\"ENCRYPTED_BYTES")

    /// Whether the encrypted fields of a body are sealed.
    public static func isSealed(_ body: UnsafeRawBufferPointer) -> Bool {
        body.count > sealedPrefix.count && body.starts(with: sealedPrefix)
    }

    /// Whether the encrypted fields of a body are sealed.
    public static func isSealed(_ body: [UInt8]) -> Bool { body.withUnsafeBytes(isSealed) }

    /// Whether a body has fields that are marked as encrypted.
    public static func hasEncryptedFields(_ body: [UInt8]) -> Bool {
        body.withUnsafeBytes { mark.isFound(in: $0) || bytesTag.isFound(in: $0) }
    }

    /// A body with each encrypted field sealed.
    ///
    /// - Parameters:
    ///   - body: one that is not sealed.
    ///   - seal: gives the sealed bytes of a field by its name and its plain bytes.
    /// - Throws: ``JSONError`` where the body is damaged, and what the closure throws.
    public static func sealing(
        _ body: [UInt8], _ seal: (_ field: String, _ plain: [UInt8]) throws -> [UInt8]
    ) throws -> [UInt8] {
        try rewriting(body) { name, field in
            guard try WireField(json: field).isMarkedEncrypted else { return .object(field) }
            let sealed = try seal(name, JSONWriter.text { $0.value(.object(field)) })
            return .object(
                JSONObject([
                    (key: "value", value: .string(Base64.encode(sealed))),
                    (key: "type", value: .string(WireField.encryptedBytesTag)),
                ]))
        } finish: { object in
            object.members.insert((key: "sealed", value: .int(1)), at: 0)
        }
    }

    /// A sealed body as it was before.
    ///
    /// - Parameters:
    ///   - body: one that is sealed.
    ///   - open: gives the plain bytes of a field by its name and its sealed bytes; nil leaves the field out.
    /// - Throws: ``JSONError`` where the body is damaged, and what the closure throws.
    public static func opening(
        _ body: [UInt8], _ open: (_ field: String, _ sealed: [UInt8]) throws -> [UInt8]?
    ) throws -> [UInt8] {
        try rewriting(body) { name, field in
            guard field["type"]?.string == WireField.encryptedBytesTag else { return .object(field) }
            guard let sealed = Base64.decode(field["value"]?.string ?? "") else {
                throw JSONError.shape("A sealed field is not base64.")
            }
            return try open(name, sealed).map { try JSONReader.read($0) }
        } finish: { object in
            object.members.removeAll { $0.key == "sealed" }
        }
    }

    /// A body without the fields that are marked as encrypted, for places where they do not belong.
    ///
    /// - Throws: ``JSONError`` where the body is damaged.
    public static func withoutEncryptedFields(_ body: [UInt8]) throws(JSONError) -> [UInt8] {
        guard hasEncryptedFields(body) else { return body }
        return try removing(encryptedFields(of: body), from: body) ?? body
    }

    /// A body with each of its fields replaced; nil leaves it out.
    private static func rewriting(
        _ body: [UInt8], field change: (_ name: String, _ field: JSONObject) throws -> JSONValue?,
        finish: (inout JSONObject) -> Void
    ) throws -> [UInt8] {
        var object = try JSONReader.read(body + [UInt8(ascii: "}")]).object ?? JSONObject()
        for index in object.members.indices where object.members[index].key == "fields" {
            guard let fields = object.members[index].value.object else { continue }
            let changed = try fields.members.compactMap { name, value -> (key: String, value: JSONValue)? in
                guard let field = value.object else { return (key: name, value: value) }
                return try change(name, field).map { (key: name, value: $0) }
            }
            object.members[index].value = .object(JSONObject(changed))
        }
        finish(&object)
        var writer = JSONWriter(reserving: body.count + 256)
        writer.value(.object(object), leavingOpen: true)
        return writer.bytes
    }
}
