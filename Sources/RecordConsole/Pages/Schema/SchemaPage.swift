/// The record types of a container.
struct SchemaPage: TemplatePage {
    static let template = Template("schema", PackageResources.schema_mustache)

    struct RecordType: TemplateModel {
        let name: String
        let encoded: String
        let fields: [Field]
        let hasFields: Bool
        let systemFields: [Field]
        let refusals: [String]
        let hasRefusals: Bool
        let grants: String
        let isUsers: Bool
        /// Whether records are made by sharing, not by a form.
        let isShares: Bool
        let isDevelopment: Bool
        /// How many versions of a record are kept and for how many days: what is said, or what is usual.
        let isKept: Bool
        let keepCount: Int
        let keepDays: Int
        let versionsAction: String
        let mostVersions: Int
        let mostDays: Int
    }

    struct Field: TemplateModel {
        let name: String
        let encoded: String
        let typeName: String
        let type: String
        let choices: [Index]
        let canIndex: Bool
        let canDelete: Bool
    }

    /// A kind of index that a field may have.
    struct Index: TemplateModel {
        let word: String
        let isSet: Bool
        let isPossible: Bool
    }

    /// A type or a field that was deleted and can be brought back.
    struct Removed: TemplateModel {
        let title: String
        let id: Int64
        let gone: TimeModel
        let ends: TimeModel
    }

    let types: [RecordType]
    let removed: [Removed]
    let hasRemoved: Bool
    let isEmpty: Bool
    let isDevelopment: Bool
    let rejected: RejectedModel?
    let waiting: Int
    let hasWaiting: Bool
    let isOneWaiting: Bool
    let fieldTypes: [FieldTypeModel]
    let roles: String
    let hasRoles: Bool
}

/// What a field can be declared as.
struct FieldTypeModel: TemplateModel {
    let value: String
    let words: String
    var isChosen = false
}

/// The question before values go with a type or a field.
struct SchemaRemovePage: TemplatePage {
    static let template = Template("schema-remove", PackageResources.schema_remove_mustache)

    let name: String
    let type: String
    let isField: Bool
    let records: String
    let days: Int
    let isKept: Bool
    let isWrong: Bool
    let action: String
}

/// The form of a new record type.
struct SchemaNewPage: TemplatePage {
    static let template = Template("schema-new", PackageResources.schema_new_mustache)

    struct Row: TemplateModel {
        let number: Int
        let fieldTypes: [FieldTypeModel]
    }

    let rows: [Row]
}

/// The schema as a text.
struct SchemaTextPage: TemplatePage {
    static let template = Template("schema-text", PackageResources.schema_text_mustache)

    struct Mistake: TemplateModel {
        let line: Int
        let column: Int
        let message: String
        let caret: String
        let remedy: String
    }

    struct Step: TemplateModel {
        let text: String
        let isLoss: Bool
        let records: Int
    }

    let text: String
    let isDevelopment: Bool
    /// The digest of the schema that the text was made of.
    let baseDigest: String
    let isStale: Bool
    let lines: Int

    // What is wrong with the text.
    var mistakes: [Mistake] = []
    var isWrong = false

    // What the text would change.
    var isPreview = false
    var steps: [Step] = []
    var hasSteps = false
    var refusals: [String] = []
    var isRefused = false
    var hasLosses = false
    var canApply = false
    var plan: String?
    var isOutdated = false
}

/// What a deployment would bring to production.
struct SchemaDeployPage: TemplatePage {
    static let template = Template("schema-deploy", PackageResources.schema_deploy_mustache)

    let changes: [String]
    let isEmpty: Bool
    let container: String
    let isOutdated: Bool
    let command: String
    let plan: String
}
