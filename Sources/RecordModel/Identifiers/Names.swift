/// The rules that names from outside have to follow (Documentation/Protocol.md, 'Names').
public enum Names {
    /// Checks a record name that a client chose.
    ///
    /// - Throws: `BAD_REQUEST` unless it is 1 to 255 UTF-16 code units of any letters, without control characters, that do
    ///   not begin with `_`.
    public static func checkRecordName(_ name: String) throws(ServiceError) {
        guard isRecordName(name) else {
            throw ServiceError(
                .badRequest, "The record name '\(shown(name))' is not valid.",
                remedy:
                    "Use 1 to \(Limits.recordNameLength) UTF-16 code units of text without control characters."
            )
        }
        try checkBeginning(of: name, what: "record name")
    }

    /// Whether a record can have a name, be it a client's or one of the service's own, which begin with `_`.
    public static func isRecordName(_ name: String) -> Bool {
        !name.isEmpty && name.utf16.count <= Limits.recordNameLength
            && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Checks the name of a custom zone.
    ///
    /// - Throws: `BAD_REQUEST` unless it is 1 to 255 printable ASCII characters that do not begin with `_`.
    public static func checkZoneName(_ name: String) throws(ServiceError) {
        let bytes = name.utf8
        let isPlain = bytes.allSatisfy { (0x20...0x7E).contains($0) }
        guard isPlain, !bytes.isEmpty, bytes.count <= Limits.nameLength else {
            throw ServiceError(
                .badRequest, "The zone name '\(shown(name))' is not valid.",
                remedy: "Use 1 to \(Limits.nameLength) printable ASCII characters.")
        }
        try checkBeginning(of: name, what: "zone name")
    }

    /// Checks the name of a record type: an identifier, or ``ShareRecordType/name``.
    ///
    /// - Throws: `BAD_REQUEST`.
    public static func checkRecordType(_ name: String) throws(ServiceError) {
        if !isExactly(ShareRecordType.name, name) { try checkIdentifier(name, what: "record type") }
    }

    /// Checks the name of a record type's field: an identifier, or one after `cloudkit.` in the type of shares.
    ///
    /// - Throws: `BAD_REQUEST`.
    public static func checkField(_ name: String, ofType type: String) throws(ServiceError) {
        let prefix = ShareRecordType.fieldPrefix
        guard isExactly(ShareRecordType.name, type), name.utf8.starts(with: prefix.utf8) else {
            return try checkIdentifier(name, what: "field name")
        }
        try checkIdentifier(
            String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self),
            what: "field name after 'cloudkit.'")
    }

    /// By bytes: other characters are canonically equal to letters of ASCII.
    private static func isExactly(_ name: String, _ other: String) -> Bool {
        name.utf8.elementsEqual(other.utf8)
    }

    /// Checks the name of a record type or field: a letter, then letters, digits and `_`.
    ///
    /// - Throws: `BAD_REQUEST`.
    public static func checkIdentifier(_ name: String, what: StaticString) throws(ServiceError) {
        let bytes = name.utf8
        let startsWell = bytes.first.map(isLetter) ?? false
        let isPlain = bytes.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
        guard startsWell, isPlain, bytes.count <= Limits.nameLength else {
            throw ServiceError(
                .badRequest, "The \(what) '\(name.prefix(64))' is not valid.",
                remedy: "Start with a letter; letters, digits and '_' may follow, 255 at most.")
        }
    }

    private static func checkBeginning(of name: String, what: StaticString) throws(ServiceError) {
        guard name.utf8.first == 0x5F else { return }
        throw ServiceError(
            .badRequest, "The \(what) '\(shown(name))' begins with '_', which is reserved for the service.",
            remedy: "Choose a name that begins with another character.")
    }

    /// The beginning of a name, for a sentence: by scalars, since one character may have any number of them.
    private static func shown(_ name: String) -> String { String(name.unicodeScalars.prefix(64)) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
