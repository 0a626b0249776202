import HTTPTypes
import HummingbirdCore
import RecordModel
import RecordServer
import RecordWire

extension RecordPages {
    /// Somebody else saved meanwhile: both versions, field by field, to choose from.
    static func conflict(
        _ server: JSONObject, _ type: RecordType, _ scope: RecordsScope
    ) throws -> SiteAnswer {
        let form = scope.context.form
        let name = server["recordName"]?.string ?? ""
        let mine: [(name: String, field: WireField)] =
            try form.text("json").map { try JSONFields.read($0) }
            ?? RecordForm(type, fields: server["fields"]?.object).changes(in: form)
        let theirs = server["fields"]?.object
        let rows = mine.compactMap { field -> [String: Any]? in
            let old = theirs?[field.name]?.object
            var wire = field.field
            wire.type = nil
            let values = [wire.value, old?["value"] ?? .null]
            guard values[0] != values[1] else { return nil }
            return ["name": field.name, "mine": shown(values[0]), "theirs": shown(values[1])]
        }
        var model: [String: Any] = [
            "name": name, "rows": rows, "isSame": rows.isEmpty,
            "action": scope.href(
                scope.address.recordPath(name, view: form.text("json") == nil ? nil : "json")),
            "recordHref": scope.href(scope.address.recordPath(name)),
            "values": form.items.filter { $0.name != "csrf" && $0.name != "tag" }
                .map { ["name": $0.name, "value": $0.value] },
            "tag": server["recordChangeTag"]?.string ?? "",
        ]
        if let stamp = server["modified"]?.object {
            var html = HTMLWriter()
            RecordCells.time(stamp["timestamp"]?.int ?? 0, to: &html)
            model["time"] = html.html
            model["user"] = stamp["userRecordName"]?.string ?? ""
        }
        return scope.context.page(
            "record-conflict", title: name, section: .records, model, status: .conflict)
    }

    private static func shown(_ value: JSONValue) -> String {
        value == .null ? "no value" : value.string ?? value.indented()
    }
}
