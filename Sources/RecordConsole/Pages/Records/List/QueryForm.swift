import RecordImport
import RecordModel
import RecordWire

/// The builder of filters and sorts, as a template shows it.
struct QueryForm {
    let scope: RecordsScope
    let type: RecordType

    /// How many empty rows a page without scripts has.
    private static let spareRows = 2

    var model: QueryFormModel {
        let fields = QueryField.all(of: type)
        let address = scope.address
        let empty = RecordsAddress.Filter(field: "", comparator: .compares(.equals), value: "")
        var filters = address.filters
        var sorts = address.sorts
        filters += Array(repeating: empty, count: Self.spareRows)
        sorts.append(RecordsAddress.Sort(field: "", ascending: true))
        return QueryFormModel(
            filters: filters.enumerated().map {
                filter($1, $0, fields, isSpare: $0 >= address.filters.count)
            },
            hasFilters: !address.filters.isEmpty, filterCount: address.filters.count,
            sorts: sorts.enumerated().map { sort($1, $0, fields, isSpare: $0 >= address.sorts.count) },
            hasSorts: !address.sorts.isEmpty,
            sortTitle: address.sorts.map { sort in
                let title = fields.first { $0.name == sort.field }?.title ?? sort.field
                return title + (sort.ascending ? " ↑" : " ↓")
            }.joined(separator: ", "),
            predicate: address.predicate,
            limits: RecordsAddress.limits.map { .init(value: $0, isChosen: $0 == address.limit) },
            showsSystemFields: address.showsSystemFields,
            // Sorting is done by the headings: were the panel to open, they would move from under the pointer.
            isOpen: !address.filters.isEmpty || !address.predicate.isEmpty,
            hidden: HiddenInput.all(address.placeItems + [("type", type.name)]),
            all: HiddenInput.all(address.items),
            checkHref: scope.href(
                "/records-check" + RecordsAddress.query(address.placeItems + [("type", type.name)])),
            fields: String(decoding: fieldsJSON(fields), as: UTF8.self))
    }

    private func filter(
        _ filter: RecordsAddress.Filter, _ index: Int, _ fields: [QueryField], isSpare: Bool
    ) -> QueryFormModel.Filter {
        let field = fields.first { $0.name == filter.field }
        let comparators = field?.comparators ?? FilterComparator.allCases
        return QueryFormModel.Filter(
            number: index + 1, isSpare: isSpare, value: filter.value,
            fields: fields.filter { !$0.comparators.isEmpty }.map {
                choice($0.name, $0.title, $0.name == filter.field)
            },
            comparators: comparators.map {
                choice($0.rawValue, $0.title, !isSpare && $0 == filter.comparator)
            })
    }

    private func sort(
        _ sort: RecordsAddress.Sort, _ index: Int, _ fields: [QueryField], isSpare: Bool
    ) -> QueryFormModel.Sort {
        QueryFormModel.Sort(
            number: index + 1, isSpare: isSpare, isDescending: !sort.ascending,
            fields: fields.filter(\.isSortable).map { choice($0.name, $0.title, $0.name == sort.field) })
    }

    private func choice(_ value: String, _ title: String, _ isChosen: Bool) -> QueryFormModel.Choice {
        QueryFormModel.Choice(value: value, title: title, isChosen: isChosen)
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
