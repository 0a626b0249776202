import RecordEngine
import RecordWire
import SchemaLanguage

extension JSONWriter {
    /// Writes differences as an array of objects.
    mutating func changes(_ changes: [SchemaDiff.Change]) {
        beginArray()
        for change in changes {
            beginObject()
            members(of: change)
            endObject()
        }
        endArray()
    }

    /// Writes what one difference is.
    mutating func members(of change: SchemaDiff.Change) {
        member("kind", change.kind)
        member("recordType", change.recordType)
        member("field", change.field)
        member("isDestructive", change.isDestructive)
        member("description", change.description)
    }
}

/// `1 change`, `2 changes`.
func counted(_ count: Int, _ word: String, plural: String? = nil) -> String {
    "\(Format.grouped(count)) \(count == 1 ? word : plural ?? word + "s")"
}
