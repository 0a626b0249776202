import RecordImport
import RecordModel
import RecordWire

/// A field that a form adds to a record; in development the type gets it, too.
enum NewField {
    /// Reads the inputs `new.name`, `new.type`, `new.value` and `new.sent`; nil where no name was typed.
    ///
    /// - Throws: `BAD_REQUEST` for a name or a value that cannot be.
    static func read(_ form: FormValues, isDevelopment: Bool) throws(ServiceError) -> (
        name: String, field: WireField
    )? {
        guard isDevelopment, let typed = form["new.name"] else { return nil }
        let name = typed.trimming { $0.isWhitespace }
        try Names.checkIdentifier(name, what: "field name")
        guard let type = FieldType(title: form["new.type"] ?? "STRING") else {
            throw ServiceError(.badRequest, "The new field '\(name)' needs a type.")
        }
        if type.scalar == .asset {
            var files: [JSONValue] = []
            for text in form.all(RecordFile.newSentName) {
                files.append(.object(try SentFile(text: text).asset))
            }
            guard let last = files.last else {
                throw ServiceError(
                    .badRequest, "The new field '\(name)' has no file.",
                    remedy: "Choose one, or remove the field by clearing its name.")
            }
            return (name, WireField(value: type.isList ? .array(files) : last, type: type.tag))
        }
        do {
            let text = form.text("new.value") ?? ""
            return (name, WireField(try ValueCoercion.value(text, as: type)))
        } catch {
            throw ServiceError(.badRequest, "\(name): \(error.description)")
        }
    }
}
