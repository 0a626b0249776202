/// The states that a record had.
struct RecordVersionsPage: TemplatePage {
    static let template = Template("record-versions", PackageResources.record_versions_mustache)

    /// A field that a state brought or took away.
    struct Change: TemplateModel {
        let name: String
        let before: String
        let after: String
    }

    struct State: TemplateModel {
        let tag: String
        let time: String
        let user: String
        let isNow: Bool
        /// Whether the record was made with it.
        let isFirst: Bool
        /// Whether it is known what it changed.
        let isKnown: Bool
        let hasBefore: Bool
        let changes: [Change]
        let hasChanges: Bool
        /// When and by whom the record was deleted after it.
        let deleted: String?
        let deletedBy: String?
    }

    let type: String
    let isDeleted: Bool
    /// The change tag that the record has; empty for a deleted one.
    let current: String
    let states: [State]
    let action: String
    let formHref: String
    let jsonHref: String
    let listHref: String
    let setting: String
    let settingHref: String
    let older: String?
    let owner: String?
    let zone: String?
}

/// The deleted records of a type.
struct BinPage: TemplatePage {
    static let template = Template("bin", PackageResources.bin_mustache)

    struct Value: TemplateModel {
        let name: String
        let html: String
    }

    struct Row: TemplateModel {
        let name: String
        let tag: String
        let href: String
        let time: String
        let user: String
        let values: [Value]
    }

    let type: String
    let rows: [Row]
    let isEmpty: Bool
    let isFirst: Bool
    let action: String
    let listHref: String
    let older: String?
    let setting: String
    let settingHref: String
    let owner: String?
    let zone: String?
}
