import RecordImport
import RecordModel
import RecordWire

/// The builder of filters and sorts, as a template shows it.
struct QueryForm {
    let scope: RecordsScope
    let type: RecordType

    /// How many empty rows a page without scripts has.
    private static let spareRows = 2

    var model: [String: Any] {
        let fields = QueryField.all(of: type)
        let address = scope.address
        let empty = RecordsAddress.Filter(field: "", comparator: .compares(.equals), value: "")
        var filters = address.filters
        var sorts = address.sorts
        filters += Array(repeating: empty, count: Self.spareRows)
        sorts.append(RecordsAddress.Sort(field: "", ascending: true))
        return [
            "filters": filters.enumerated().map {
                filter($1, $0, fields, isSpare: $0 >= address.filters.count)
            },
            "sorts": sorts.enumerated().map { sort($1, $0, fields, isSpare: $0 >= address.sorts.count) },
            "predicate": address.predicate,
            "limits": RecordsAddress.limits.map { ["value": $0, "isChosen": $0 == address.limit] },
            "showsSystemFields": address.showsSystemFields,
            // Sorting is done by the headings: were the panel to open, they would move from under the pointer.
            "isOpen": !address.filters.isEmpty || !address.predicate.isEmpty,
            "sortTitle": address.sorts.map { sort in
                let title = fields.first { $0.name == sort.field }?.title ?? sort.field
                return title + (sort.ascending ? " ↑" : " ↓")
            }.joined(separator: ", "),
            "hidden": (address.placeItems + [("type", type.name)]).map {
                ["name": $0.name, "value": $0.value]
            },
            "all": address.items.map { ["name": $0.name, "value": $0.value] },
            "checkHref": scope.href(
                "/records-check" + RecordsAddress.query(address.placeItems + [("type", type.name)])),
            "fields": String(decoding: fieldsJSON(fields), as: UTF8.self),
            "hasSorts": !address.sorts.isEmpty,
            "hasFilters": !address.filters.isEmpty, "filterCount": address.filters.count,
        ]
    }

    private func filter(
        _ filter: RecordsAddress.Filter, _ index: Int, _ fields: [QueryField], isSpare: Bool
    ) -> [String: Any] {
        let field = fields.first { $0.name == filter.field }
        let comparators = field?.comparators ?? FilterComparator.allCases
        return [
            "number": index + 1, "isSpare": isSpare, "value": filter.value,
            "takesNoValue": !isSpare && !filter.comparator.takesValue,
            "fields": fields.filter { !$0.comparators.isEmpty }.map {
                choice($0.name, $0.title, $0.name == filter.field)
            },
            "comparators": comparators.map {
                choice($0.rawValue, $0.title, !isSpare && $0 == filter.comparator)
            },
        ]
    }

    private func sort(
        _ sort: RecordsAddress.Sort, _ index: Int, _ fields: [QueryField], isSpare: Bool
    ) -> [String: Any] {
        [
            "number": index + 1, "isSpare": isSpare, "isDescending": !sort.ascending,
            "fields": fields.filter(\.isSortable).map { choice($0.name, $0.title, $0.name == sort.field) },
        ]
    }

    private func choice(_ value: String, _ title: String, _ isChosen: Bool) -> [String: Any] {
        ["value": value, "title": title, "isChosen": isChosen]
    }

    /// What scripts know of the fields: which comparisons and hints belong to each.
    private func fieldsJSON(_ fields: [QueryField]) -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginArray()
            for field in fields {
                writer.beginObject()
                writer.member("name", field.name)
                writer.member("title", field.title)
                writer.member("type", field.type.title)
                writer.member("predicateName", PredicateNames.name(of: field))
                writer.key("comparators")
                writer.beginArray()
                for comparator in field.comparators {
                    writer.beginObject()
                    writer.member("value", comparator.rawValue)
                    writer.member("title", comparator.title)
                    writer.member("takesValue", comparator.takesValue)
                    writer.endObject()
                }
                writer.endArray()
                writer.endObject()
            }
            writer.endArray()
        }
    }
}
