/// Reading members that have to be of a kind; the sentence of the error names the member.
extension JSONObject {
    /// The text of a member, nil where it is absent.
    ///
    /// - Throws: ``JSONError`` where the member is of another kind.
    public func string(_ name: String) throws(JSONError) -> String? {
        guard let value = self[name] else { return nil }
        guard let string = value.string else { throw .wrongKind(name, "a string", value) }
        return string
    }

    /// The text of a member that has to be there.
    ///
    /// - Throws: ``JSONError`` where the member is missing or of another kind.
    public func requiredString(_ name: String) throws(JSONError) -> String {
        guard let string = try string(name) else { throw .missing(name) }
        return string
    }

    /// The truth value of a member, nil where it is absent.
    ///
    /// - Throws: ``JSONError`` where the member is of another kind.
    public func bool(_ name: String) throws(JSONError) -> Bool? {
        guard let value = self[name] else { return nil }
        guard let bool = value.bool else { throw .wrongKind(name, "true or false", value) }
        return bool
    }

    /// The integer of a member, nil where it is absent.
    ///
    /// - Throws: ``JSONError`` where the member is of another kind.
    public func int(_ name: String) throws(JSONError) -> Int? {
        guard let value = self[name] else { return nil }
        guard let int = value.int else { throw .wrongKind(name, "an integer", value) }
        return Int(int)
    }

    /// The number of a member, nil where it is absent.
    ///
    /// - Throws: ``JSONError`` where the member is of another kind.
    public func double(_ name: String) throws(JSONError) -> Double? {
        guard let value = self[name] else { return nil }
        guard let double = value.double else { throw .wrongKind(name, "a number", value) }
        return double
    }

    /// The object of a member, nil where it is absent.
    ///
    /// - Throws: ``JSONError`` where the member is of another kind.
    public func object(_ name: String) throws(JSONError) -> JSONObject? {
        guard let value = self[name] else { return nil }
        guard let object = value.object else { throw .wrongKind(name, "an object", value) }
        return object
    }

    /// The elements of a member, nil where it is absent.
    ///
    /// - Throws: ``JSONError`` where the member is of another kind.
    public func array(_ name: String) throws(JSONError) -> [JSONValue]? {
        guard let value = self[name] else { return nil }
        guard let array = value.array else { throw .wrongKind(name, "a list", value) }
        return array
    }

    /// The objects of a member that has to be a list of objects; empty where it is absent.
    ///
    /// - Throws: ``JSONError`` where the member is of another kind.
    public func objects(_ name: String) throws(JSONError) -> [JSONObject] {
        var objects: [JSONObject] = []
        for value in try array(name) ?? [] {
            guard let object = value.object else { throw .wrongKind(name, "a list of objects", value) }
            objects.append(object)
        }
        return objects
    }

    /// The texts of a member that has to be a list of texts, nil where it is absent.
    ///
    /// - Throws: ``JSONError`` where the member is of another kind.
    public func strings(_ name: String) throws(JSONError) -> [String]? {
        guard let array = try array(name) else { return nil }
        var strings: [String] = []
        for value in array {
            guard let string = value.string else { throw .wrongKind(name, "a list of strings", value) }
            strings.append(string)
        }
        return strings
    }
}

extension JSONError {
    /// A member that has to be there is not.
    public static func missing(_ name: String) -> JSONError { .shape("'\(name)' is missing.") }

    static func wrongKind(_ name: String, _ expected: String, _ value: JSONValue) -> JSONError {
        .shape("'\(name)' must be \(expected), not \(value.kindName).")
    }
}
