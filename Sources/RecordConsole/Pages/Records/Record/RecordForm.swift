import Foundation
import RecordImport
import RecordModel
import RecordWire

/// The fields of a record as a form: what its inputs show, and what comes back from them.
///
/// The inputs of a field `x` are called `v.x` (its value), `none.x` (ticked for no value) and, where they are needed,
/// `act.x` (a reference's action), `lat.x` and `lon.x`. Files have `file.x` (the chooser), `sent.x` (the receipt of
/// one that was sent) and `drop.x` (ticked for one that a list should lose).
struct RecordForm {
    /// One field of the form.
    struct Item {
        var name: String
        var type: FieldType
        /// The value that the record has; nil for none.
        var value: JSONValue?
        /// Whether the value is not shown because the field is encrypted.
        var isHidden = false
    }

    let items: [Item]

    /// The fields of a type with a record's values, then fields that only the record has.
    init(_ type: RecordType, fields: JSONObject?, hidesEncrypted: Bool = false) {
        items = type.fields.map { field in
            let value = fields?[field.name]?.object?.members.last { $0.key == "value" }?.value
            return Item(
                name: field.name, type: field.type, value: value == .null ? nil : value,
                isHidden: hidesEncrypted && field.declaration == .encrypted)
        }
    }

    // MARK: Showing

    /// What the template shows of each field.
    ///
    /// - Parameters:
    ///   - typed: the values of a form that was refused.
    ///   - mistake: why it was refused, where that is about a field.
    ///   - href: makes the address of a record that a reference names.
    func models(
        typed: FormValues? = nil, mistake: RecordFormError? = nil, href: (String) -> String? = { _ in nil }
    ) -> [RecordFieldModel] {
        items.enumerated().map { index, item in
            var model = RecordFieldModel(
                id: "field-\(index)", item, Self.control(item), hint: Self.hint(item),
                isNone: typed.map { $0.all("none." + item.name).contains("1") } ?? (item.value == nil),
                text: typed?.text("v." + item.name) ?? Self.text(item),
                mistake: mistake?.field == item.name ? mistake?.message : nil)
            if item.type == FieldType(.reference) {
                let action = typed?["act." + item.name] ?? item.value?.object?["action"]?.string ?? "NONE"
                model.actions = ["NONE", "DELETE_SELF", "VALIDATE"].map {
                    .init(value: $0, isChosen: $0 == action)
                }
                model.targetHref = item.value?.object?["recordName"]?.string.flatMap(href)
            }
            if item.type == FieldType(.location) {
                let place = item.value?.object
                model.latitude =
                    typed?.text("lat." + item.name) ?? place?["latitude"]?.double.map { "\($0)" } ?? ""
                model.longitude =
                    typed?.text("lon." + item.name) ?? place?["longitude"]?.double.map { "\($0)" } ?? ""
            }
            if item.type.scalar == .asset {
                model.files = Self.files(item, typed)
                model.isMany = item.type.isList
            }
            return model
        }
    }

    /// What shows a value and takes a new one.
    enum Control {
        case line, text, integer, number, time, reference, location, list, bytes, file
        /// Nothing: the value is edited as JSON.
        case fixed
    }

    /// The part of the template that shows the field.
    static func control(_ item: Item) -> Control {
        if item.type.scalar == .asset { return .file }
        if item.type.isList { return isOneLineEach(item) ? .list : .fixed }
        return switch item.type.scalar {
        case .string: isLong(item) ? .text : .line
        case .int64: .integer
        case .double: .number
        case .timestamp: isDate(item) ? .time : .integer
        case .reference: .reference
        case .location: .location
        case .bytes: .bytes
        case .asset: .file
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

    /// Whether a line says all of each element; lists of texts with lines of their own, of references with an
    /// action or a zone and of places with an altitude are edited as JSON.
    private static func isOneLineEach(_ item: Item) -> Bool {
        (item.value?.array ?? []).allSatisfy { element in
            switch element {
            case .string(let text): !text.contains(where: \.isNewline) && !text.isEmpty
            case .object(let object):
                object.members.allSatisfy { member in
                    switch member.key {
                    case "recordName", "latitude", "longitude": true
                    case "action": member.value == .string("NONE")
                    default: false
                    }
                }
            default: true
            }
        }
    }

    private static func hint(_ item: Item) -> String {
        if item.isHidden { return "Encrypted and not shown: the value stays unless you type another one." }
        return switch (item.type.scalar, item.type.isList) {
        case (.timestamp, false):
            isDate(item) ? "Date and time in UTC; seconds may be left out." : "Milliseconds since 1970, UTC"
        case (.timestamp, true): "One on each line, as 2026-11-21T10:00:00Z; without the Z it is UTC as well"
        case (.bytes, _): "Base64"
        case (.location, false): "Degrees"
        case (.location, true): "One on each line: latitude, longitude"
        case (.reference, false): "The name of a record in the same zone"
        case (.asset, false):
            "At most \(NumberText.bytes(Int64(Limits.assetBytes)))."
                + (item.value == nil ? "" : " Choosing one replaces the file that is there.")
        case (.asset, true): "Each at most \(NumberText.bytes(Int64(Limits.assetBytes)))."
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
}
