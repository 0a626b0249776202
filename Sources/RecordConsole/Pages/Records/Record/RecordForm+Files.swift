import RecordModel
import RecordWire

/// Files among the fields: those that the record has, and those that were sent for it.
extension RecordForm {
    /// What the template shows of a field's files.
    static func files(_ item: Item, _ typed: FormValues?) -> [RecordFieldModel.File] {
        let dropped = Set(typed?.all("drop." + item.name) ?? [])
        let values = item.value.map { $0.array ?? [$0] } ?? []
        var rows: [RecordFieldModel.File] = []
        for (index, object) in values.compactMap(\.object).enumerated() {
            var html = HTMLWriter()
            RecordCells.asset(object, to: &html)
            rows.append(
                .init(
                    html: html.html, key: "\(index)", number: index + 1,
                    isDropped: dropped.contains("\(index)")))
        }
        let sent = (typed?.all(RecordFile.sentPrefix + item.name) ?? []).compactMap {
            try? SentFile(text: $0)
        }
        // A field that holds one file gets the one that was sent last.
        for (index, file) in (item.type.isList ? sent[...] : sent.suffix(1)).enumerated() {
            rows.append(
                .init(
                    sent: file.text, label: file.label, key: sentKey(index),
                    number: values.count + index + 1, isDropped: dropped.contains(sentKey(index))))
        }
        return rows
    }

    private static func sentKey(_ index: Int) -> String { "s\(index)" }

    /// What the form makes of a field's files; nil where they stay as they are.
    static func fileChange(_ item: Item, _ form: FormValues) throws(RecordFormError) -> WireField? {
        // The tick counts unless a file came for a field that had none.
        let isNone = form.all("none." + item.name).contains("1") && item.value != nil
        guard !isNone else { return WireField(value: .null) }
        let dropped = Set(form.all("drop." + item.name))
        var sent: [JSONValue] = []
        for (index, text) in form.all(RecordFile.sentPrefix + item.name).enumerated() {
            do {
                let file = try SentFile(text: text)
                if !dropped.contains(sentKey(index)) { sent.append(.object(file.asset)) }
            } catch {
                throw RecordFormError(field: item.name, message: error.reason)
            }
        }
        guard item.type.isList else { return sent.last.map { WireField(value: $0, type: item.type.tag) } }
        let old = item.value?.array ?? []
        let kept = old.enumerated().filter { !dropped.contains("\($0.offset)") }.map(\.element)
        guard kept.count < old.count || !sent.isEmpty else { return nil }
        return WireField(value: .array(kept + sent), type: item.type.tag)
    }
}
