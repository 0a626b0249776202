import HTTPTypes
import HummingbirdCore
import RecordModel
import RecordServer
import RecordWire

extension RecordPages {
    /// Somebody else changed the same fields meanwhile: both values of each, to choose from.
    ///
    /// - Parameter changes: what was changed; nil where the form says it, because a choice could not be saved.
    static func conflictPage(
        _ server: JSONObject, _ type: RecordType, _ scope: RecordsScope, _ attempt: Attempt,
        _ changes: [RecordMerge.Change]? = nil
    ) throws -> SiteAnswer {
        let form = scope.context.form
        let name = server["recordName"]?.string ?? ""
        let current = server["fields"]?.object
        let mine = try changes ?? JSONFields.read(form.text("changes") ?? "{}")
        let merge = RecordMerge(base: attempt.base, mine: mine, current: current, type: type)
        let rows = merge.conflicts.enumerated().map { index, conflict in
            let tag = type[conflict.name]?.type.tag ?? conflict.mine.type ?? ""
            let cells = RecordCells(
                linkBase: scope.href("/records/"), linkQuery: RecordsAddress.query(scope.address.placeItems))
            let picked = form["pick." + conflict.name]
            return RecordConflictPage.Row(
                id: "choice-\(index)", name: conflict.name, type: type[conflict.name]?.type.title,
                began: cells.html(conflict.base, tag), theirs: cells.html(conflict.theirs, tag),
                mine: cells.html(conflict.mine.value, tag), isMine: picked == "mine",
                isTheirs: picked == "theirs")
        }
        let isJSON = isJSON(scope.context)
        var page = RecordConflictPage(
            recordType: type.name, rows: rows, hasRows: !rows.isEmpty,
            action: scope.href(scope.address.recordPath(name, view: isJSON ? "json" : nil)),
            recordHref: scope.href(scope.address.recordPath(name)),
            changes: text(.object(JSONObject(mine.map { ($0.name, $0.field.object) }))),
            opened: text(.object(current ?? JSONObject())), tag: server["recordChangeTag"]?.string ?? "",
            onlyMine: merge.changes.map(\.name).joined(separator: ", "), hasOnlyMine: !merge.changes.isEmpty,
            onlyTheirs: merge.theirs.joined(separator: ", "), hasOnlyTheirs: !merge.theirs.isEmpty,
            problem: attempt.problem?.model)
        if let stamp = server["modified"]?.object {
            var html = HTMLWriter()
            RecordCells.time(stamp["timestamp"]?.int ?? 0, to: &html)
            page.time = html.html
            page.user = OperatorStamps.title(ofUser: stamp["userRecordName"]?.string ?? "")
        }
        return scope.context.page(
            page, title: name, section: .records, status: .init(code: attempt.status))
    }
}

extension WireField {
    /// The field as JSON has it.
    var object: JSONValue {
        var members: [(key: String, value: JSONValue)] = [("value", value)]
        if let type { members.append(("type", .string(type))) }
        return .object(JSONObject(members))
    }
}

extension RecordCells {
    /// A value as HTML, whole: for comparing two of them.
    func html(_ value: JSONValue?, _ tag: String) -> String {
        var html = HTMLWriter()
        switch value {
        case nil, .null?: html.mark("<span class=\"hint\">no value</span>")
        case .string(let text)? where tag == "STRING" || tag.isEmpty: html.text(text)
        case .array(let elements)? where tag.hasSuffix("_LIST"):
            for element in elements {
                html.mark("<span class=\"chip\">")
                scalar(element, tag: String(tag.dropLast(5)), to: &html)
                html.mark("</span> ")
            }
            if elements.isEmpty { html.mark("<span class=\"hint\">empty list</span>") }
        case let value?: scalar(value, tag: tag, to: &html)
        }
        return html.html
    }
}
