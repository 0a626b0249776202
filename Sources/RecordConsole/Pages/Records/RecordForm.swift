import Foundation
import RecordImport
import RecordModel
import RecordWire

/// The fields of a record as a form: what its inputs show, and what comes back from them.
///
/// The inputs of a field `x` are called `v.x` (its value), `none.x` (ticked for no value) and, where they are needed,
/// `act.x` (a reference's action) and `lat.x`, `lon.x`.
struct RecordForm {
    /// One field of the form.
    struct Item {
        var name: String
        var type: FieldType
        /// The value that the record has; nil for none.
        var value: JSONValue?
    }

    let items: [Item]

    /// The fields of a type with a record's values, then fields that only the record has.
    init(_ type: RecordType, fields: JSONObject?) {
        items = type.fields.map { field in
            let value = fields?[field.name]?.object?.members.last { $0.key == "value" }?.value
            return Item(name: field.name, type: field.type, value: value == .null ? nil : value)
        }
    }

    // MARK: Showing

    /// What the template shows of each field; `typed` are the values of a form that was refused.
    func model(typed: FormValues? = nil) -> [[String: Any]] {
        items.enumerated().map { index, item in
            var model: [String: Any] = [
                "id": "field-\(index)", "name": item.name, "type": item.type.tag,
                "hint": Self.hint(item.type),
                "encodedName": FormValues.encoded(item.name),
                "isNone": typed.map { $0.all("none." + item.name).contains("1") } ?? (item.value == nil),
                "text": typed?.text("v." + item.name) ?? Self.text(item),
            ]
            model[Self.control(item)] = true
            if item.type == FieldType(.reference) {
                let action = typed?["act." + item.name] ?? item.value?.object?["action"]?.string ?? "NONE"
                model["actions"] = ["NONE", "DELETE_SELF", "VALIDATE"].map {
                    ["value": $0, "isChosen": $0 == action] as [String: Any]
                }
                model["target"] = item.value?.object?["recordName"]?.string
            }
            if item.type == FieldType(.location) {
                let place = item.value?.object
                model["latitude"] =
                    typed?.text("lat." + item.name) ?? place?["latitude"]?.double.map { "\($0)" } ?? ""
                model["longitude"] =
                    typed?.text("lon." + item.name) ?? place?["longitude"]?.double.map { "\($0)" } ?? ""
            }
            if item.type.scalar == .asset, let value = item.value {
                var html = HTMLWriter()
                for object in (value.array ?? [value]).compactMap(\.object) {
                    RecordCells.asset(object, to: &html)
                }
                model["asset"] = html.html
            }
            return model
        }
    }

    /// The part of the template that shows the field.
    private static func control(_ item: Item) -> String {
        if item.type.isList { return isOneLineEach(item) ? "isList" : "isFixed" }
        return switch item.type.scalar {
        case .string: isLong(item) ? "isText" : "isLine"
        case .int64: "isInteger"
        case .double: "isNumber"
        case .timestamp: isDate(item) ? "isTime" : "isInteger"
        case .reference: "isReference"
        case .location: "isLocation"
        case .bytes: "isBytes"
        case .asset: "isAsset"
        }
    }

    private static func isLong(_ item: Item) -> Bool {
        guard let text = item.value?.string else { return false }
        return text.utf8.count > 60 || text.contains(where: \.isNewline)
    }

    /// Whether the browser's control for moments can hold the value: years of four digits.
    private static func isDate(_ item: Item) -> Bool {
        guard let milliseconds = item.value?.int else { return true }
        return (-62_135_596_800_000..<253_402_300_800_000).contains(milliseconds)
    }

    /// Whether each element fits on a line; lists of files and of texts with lines of their own are edited as JSON.
    private static func isOneLineEach(_ item: Item) -> Bool {
        guard item.type.scalar != .asset else { return false }
        return (item.value?.array ?? []).allSatisfy { element in
            element.string.map { !$0.contains(where: \.isNewline) && !$0.isEmpty } ?? true
        }
    }

    private static func hint(_ type: FieldType) -> String {
        switch (type.scalar, type.isList) {
        case (.timestamp, false): "Date and time in UTC"
        case (.timestamp, true): "One on each line, as 2026-11-21T10:00:00Z"
        case (.bytes, _): "Base64"
        case (.location, false): "Degrees"
        case (.location, true): "One on each line: latitude, longitude"
        case (.reference, false): "The name of a record in the same zone"
        case (_, true): "One on each line"
        default: ""
        }
    }

    private static func text(_ item: Item) -> String {
        guard let value = item.value else { return "" }
        if item.type.isList {
            return (value.array ?? []).map { text($0, item.type.scalar) }.joined(separator: "\n")
        }
        if item.type.scalar == .timestamp, isDate(item), let milliseconds = value.int {
            // What the control takes has no zone; the page says that it is UTC.
            return String(ISOTime.text(milliseconds).dropLast())
        }
        return text(value, item.type.scalar)
    }

    private static func text(_ value: JSONValue, _ scalar: FieldType.Scalar) -> String {
        switch value {
        case .string(let text): text
        case .int(let number): scalar == .timestamp ? ISOTime.text(number) : String(number)
        case .double(let number): number.description
        case .object(let object):
            object["recordName"]?.string
                ?? "\(object["latitude"]?.double ?? 0), \(object["longitude"]?.double ?? 0)"
        default: ""
        }
    }

    // MARK: Reading

    /// The fields that the form changes: null for a value that is taken away.
    ///
    /// - Throws: `BAD_REQUEST` naming the field whose value cannot be.
    func changes(in form: FormValues) throws(ServiceError) -> [(name: String, field: WireField)] {
        var changes: [(name: String, field: WireField)] = []
        for item in items {
            guard Self.control(item) != "isFixed" else { continue }
            if item.type == FieldType(.asset) {
                // A file is sent by itself; here it can only be taken away.
                if item.value != nil, form.all("none." + item.name).contains("1") {
                    changes.append((item.name, WireField(value: .null)))
                }
                continue
            }
            let new: FieldValue?
            do {
                new = try Self.value(item, form)
            } catch {
                throw ServiceError(.badRequest, "\(item.name): \(error.description)")
            }
            guard let new else {
                if item.value != nil, form.all("none." + item.name).contains("1") || Self.isGiven(item, form)
                {
                    changes.append((item.name, WireField(value: .null)))
                }
                continue
            }
            if Self.differs(new, item) { changes.append((item.name, WireField(new))) }
        }
        return changes
    }

    private static func isGiven(_ item: Item, _ form: FormValues) -> Bool {
        form.text("v." + item.name) != nil || form.text("lat." + item.name) != nil
    }

    private static func differs(_ new: FieldValue, _ item: Item) -> Bool {
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
