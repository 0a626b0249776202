import RecordModel
import RecordWire

/// The table of a page of records.
struct RecordTable {
    let scope: RecordsScope
    let type: RecordType
    let records: [JSONObject]
    /// Who the operators were; nil where no column tells.
    var stamps: OperatorStamps?

    /// The most columns; records of wider types have their page.
    private static let mostColumns = 40

    private var address: RecordsAddress { scope.address }

    /// The table's HTML.
    var html: String {
        var html = HTMLWriter(reserving: 4_096 + records.count * 2_048)
        // Pictures first: they tell records apart at a glance, and would be out of sight behind the texts.
        let isFile = { (field: FieldSchema) in field.type.scalar == .asset }
        let ordered = type.fields.filter(isFile) + type.fields.filter { !isFile($0) }
        let fields = Array(ordered.prefix(Self.mostColumns))
        html.mark(
            "<div class=\"scroll records\" tabindex=\"0\" role=\"region\" aria-label=\"Records\"><table>")
        html.mark("<caption class=\"visually-hidden\">Records of type ")
        html.text(type.name)
        html.mark("</caption><thead><tr>")
        // Who looks as somebody else picks nothing to delete.
        if !address.isLook {
            html.mark("<th class=\"pick\"><input type=\"checkbox\" data-pick-all hidden ")
            html.mark("aria-label=\"Select all on this page\"></th>")
        }
        heading("___recordName", "record name", isNumber: false, isSortable: true, to: &html)
        for field in fields {
            heading(
                field.name, field.name,
                isNumber: !field.type.isList && [.int64, .double].contains(field.type.scalar),
                isSortable: field.type.isOrdered && field.indexes.contains(.sortable), to: &html)
        }
        if address.showsSystemFields {
            heading("___createdTimestamp", "created", isNumber: false, isSortable: true, to: &html)
            html.mark("<th scope=\"col\">created by</th>")
            heading("___modifiedTimestamp", "modified", isNumber: false, isSortable: true, to: &html)
            html.mark("<th scope=\"col\">modified by</th><th scope=\"col\">change tag</th>")
        }
        html.mark("</tr></thead><tbody>\n")
        let cells = RecordCells(
            linkBase: scope.href("/records/"), linkQuery: RecordsAddress.query(address.placeItems))
        for record in records { row(record, fields, cells, to: &html) }
        html.mark("</tbody></table></div>")
        if type.fields.count > Self.mostColumns {
            html.mark("<p class=\"hint\">")
            html.number(Int64(type.fields.count - Self.mostColumns))
            html.mark(" more fields are on each record's own page.</p>")
        }
        return html.html
    }

    private func heading(
        _ name: String, _ title: String, isNumber: Bool, isSortable: Bool, to html: inout HTMLWriter
    ) {
        let sort = address.sorts.first { $0.field == name }
        html.mark(isNumber ? "<th scope=\"col\" class=\"number\"" : "<th scope=\"col\"")
        if let sort, sort == address.sorts.first {
            html.mark(sort.ascending ? " aria-sort=\"ascending\"" : " aria-sort=\"descending\"")
        }
        html.mark(">")
        guard isSortable else {
            html.text(title)
            return html.mark("</th>")
        }
        let next = address.with { address in
            address.page = .first
            // Up, then down, then as it was.
            address.sorts =
                sort == nil
                ? [.init(field: name, ascending: true)]
                : sort?.ascending == true ? [.init(field: name, ascending: false)] : []
        }
        html.mark("<a href=\"")
        html.text(scope.href("/records" + next.query))
        html.mark("\">")
        html.text(title)
        if let sort {
            html.mark(
                sort.ascending
                    ? " <span aria-hidden=\"true\">↑</span>" : " <span aria-hidden=\"true\">↓</span>")
        }
        html.mark("</a></th>")
    }

    private func row(
        _ record: JSONObject, _ fields: [FieldSchema], _ cells: RecordCells, to html: inout HTMLWriter
    ) {
        let name = record["recordName"]?.string ?? ""
        let values = record["fields"]?.object
        html.mark("<tr>")
        if !address.isLook {
            html.mark("<td class=\"pick\"><input type=\"checkbox\" name=\"name\" form=\"picked\" value=\"")
            html.text(name)
            html.mark("\" aria-label=\"Select ")
            html.text(name)
            html.mark("\"></td>")
        }
        html.mark("<th scope=\"row\" class=\"clip\">")
        cells.link(name, to: &html)
        html.mark("</th>")
        for field in fields {
            cells.write(values?[field.name]?.object, to: &html)
            html.mark("</td>")
        }
        if address.showsSystemFields {
            for key in ["created", "modified"] {
                let stamp = record[key]?.object
                html.mark("<td>")
                RecordCells.time(stamp?["timestamp"]?.int ?? 0, to: &html)
                html.mark("</td><td class=\"clip\">")
                html.text(
                    stamps?.title(key, of: record) ?? stamp?["userRecordName"]?.string ?? "")
                html.mark("</td>")
            }
            html.mark("<td>")
            html.text(record["recordChangeTag"]?.string ?? "")
            html.mark("</td>")
        }
        html.mark("</tr>\n")
    }
}
