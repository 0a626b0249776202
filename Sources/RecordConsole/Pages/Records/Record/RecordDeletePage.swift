/// Whether a record should go.
struct RecordDeletePage: TemplatePage {
    static let template = Template("record-delete", PackageResources.record_delete_mustache)

    let name: String
    let type: String
    let tag: String
    /// The first of its fields, as rows of a table; nil where it has none.
    let fields: String?
    let references: ReferencesModel
    let action: String
    let recordHref: String
    /// For how many days the record can be brought back; nil where it cannot.
    let keptDays: Int?
}

/// Whether all records that match should go.
struct RecordsDeleteAllPage: TemplatePage {
    static let template = Template("records-delete-all", PackageResources.records_delete_all_mustache)

    let type: String
    let count: String
    let total: Int
    let isEmpty: Bool
    let isFiltered: Bool
    let all: [HiddenInput]
    let conditions: [String]
    let action: String
    let listHref: String
    let isProduction: Bool
    let problem: String?
    let owner: String?
}
