extension TemplateModel {
    /// The properties by name, nested, without what is nil: the template library finds names in dictionaries.
    ///
    /// Made by the conformance to `Encodable` that the compiler writes, because `Mirror` takes six times as long.
    var members: [String: Any] {
        let encoder = MemberEncoder()
        do {
            try encode(to: encoder)
        } catch {
            assertionFailure("\(Self.self) cannot be shown: \(error)")
        }
        return encoder.result.members ?? [:]
    }
}

/// Makes dictionaries and arrays of structs, as templates take them.
private struct MemberEncoder: Encoder {
    /// What becomes of a value: one of these, which its container fills.
    final class Result {
        var members: [String: Any]?
        var elements: [Any]?
        var single: Any?

        var value: Any? { members ?? elements ?? single }
    }

    let result = Result()
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// What a template takes for a value.
    static func shown<Value: Encodable>(_ value: Value) throws -> Any? {
        // Most values are these, and they are what they are.
        if Value.self == String.self || Value.self == Bool.self || Value.self == Int.self { return value }
        let encoder = MemberEncoder()
        try value.encode(to: encoder)
        return encoder.result.value
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        result.members = [:]
        return KeyedEncodingContainer(Members<Key>(result: result))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        result.elements = []
        return Elements(result: result)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(result: result) }

    /// An encoder whose result nobody takes. Code that the compiler writes has no use for one.
    static func unused() -> MemberEncoder {
        assertionFailure("A TemplateModel has parts that are TemplateModels, and encodes nothing by hand.")
        return MemberEncoder()
    }
}

/// The properties of a struct.
private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let result: MemberEncoder.Result
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) {}

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        result.members?[key.stringValue] = try MemberEncoder.shown(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { MemberEncoder.unused().container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        MemberEncoder.unused().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { MemberEncoder.unused() }
    func superEncoder(forKey key: Key) -> any Encoder { MemberEncoder.unused() }
}

/// The elements of a list.
private struct Elements: UnkeyedEncodingContainer {
    let result: MemberEncoder.Result
    var codingPath: [any CodingKey] { [] }
    var count: Int { result.elements?.count ?? 0 }

    func encodeNil() {}

    func encode<Value: Encodable>(_ value: Value) throws {
        if let shown = try MemberEncoder.shown(value) { result.elements?.append(shown) }
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        MemberEncoder.unused().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        MemberEncoder.unused().unkeyedContainer()
    }
    func superEncoder() -> any Encoder { MemberEncoder.unused() }
}

/// A number, or another value without parts.
private struct Single: SingleValueEncodingContainer {
    let result: MemberEncoder.Result
    var codingPath: [any CodingKey] { [] }

    func encodeNil() {}
    func encode<Value: Encodable>(_ value: Value) { result.single = value }
}
