import RecordImport
import RecordModel
import RecordWire

/// Why a form cannot be saved, where that is about one field.
struct RecordFormError: Error {
    var field: String
    var message: String
    var remedy: String?
}

/// What comes back from the inputs.
extension RecordForm {
    /// The fields that the form changes: null for a value that is taken away. Fields without inputs stay.
    ///
    /// - Throws: the field whose value cannot be, and why.
    func changes(in form: FormValues) throws(RecordFormError) -> [(name: String, field: WireField)] {
        var changes: [(name: String, field: WireField)] = []
        for item in items where Self.control(item) != .fixed {
            if item.type.scalar == .asset {
                if let change = try Self.fileChange(item, form) { changes.append((item.name, change)) }
                continue
            }
            guard Self.isGiven(item, form) else { continue }
            let new: FieldValue?
            do {
                new = try Self.value(item, form)
            } catch {
                throw RecordFormError(field: item.name, message: error.description)
            }
            guard let new else {
                if item.value != nil { changes.append((item.name, WireField(value: .null))) }
                continue
            }
            if Self.differs(new, item) { changes.append((item.name, WireField(new))) }
        }
        return changes
    }

    private static func isGiven(_ item: Item, _ form: FormValues) -> Bool {
        form.text("v." + item.name) != nil || form.text("lat." + item.name) != nil
            || form.all("none." + item.name).contains("1")
    }

    static func differs(_ new: FieldValue, _ item: Item) -> Bool {
        guard let old = item.value,
            let decoded = try? FieldValue.decode(
                WireField(value: old, type: item.type.tag), expected: item.type)
        else { return true }
        if case .string(let left) = new, case .string(let right) = decoded {
            return left != lines(right)
        }
        if case .location(let left) = new, case .location(let right) = decoded {
            // What else a place knows stays as long as the place does.
            return left.latitude != right.latitude || left.longitude != right.longitude
        }
        return new != decoded
    }

    /// Browsers send every line end as two characters.
    private static func lines(_ text: String) -> String {
        text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    }

    /// The value that the form gives a field; nil for none.
    private static func value(_ item: Item, _ form: FormValues) throws(RowError) -> FieldValue? {
        let isNone = form.all("none." + item.name).contains("1")
        if item.type == FieldType(.location) {
            let latitude = form["lat." + item.name] ?? ""
            let longitude = form["lon." + item.name] ?? ""
            if isNone && item.value != nil || latitude.isEmpty && longitude.isEmpty { return nil }
            return .location(try ValueCoercion.location(latitude, longitude))
        }
        let text = lines(form.text("v." + item.name) ?? "")
        // The tick counts unless something was typed over it.
        if isNone, text.isEmpty || item.value != nil { return nil }
        if item.type.isList {
            let parts = text.split(separator: "\n").map { String($0) }.filter { !$0.isEmpty }
            var elements: [FieldValue] = []
            for part in parts {
                elements.append(try ValueCoercion.value(part, as: FieldType(item.type.scalar)))
            }
            return .list(elements, of: item.type.scalar)
        }
        if item.type.scalar == .string { return .string(text) }
        if text.isEmpty { return nil }
        if item.type.scalar == .reference {
            guard case .reference(var reference) = try ValueCoercion.value(text, as: item.type) else {
                return nil
            }
            reference.action = action(form["act." + item.name])
            if let zone = item.value?.object?["zoneID"]?.object { reference.zoneID = try? ZoneID(json: zone) }
            return .reference(reference)
        }
        return try ValueCoercion.value(text, as: item.type)
    }

    private static func action(_ text: String?) -> Reference.Action {
        switch text {
        case "DELETE_SELF": .deleteSelf
        case "VALIDATE": .validate
        default: .none
        }
    }
}
