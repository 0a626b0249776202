/// The list of records with its filters.
struct RecordsPage: TemplatePage {
    static let template = Template("records", PackageResources.records_mustache)

    /// How the query was answered.
    struct Plan: TemplateModel {
        let isServed: Bool
        let isWalk: Bool
        let isHopeless: Bool
        let time: String
        let index: String?
        /// The columns of an index that would serve the query; nil where there is none or it is being made.
        let missing: String?
        let beingMade: String?
    }

    /// Why there is no answer.
    struct Failure: TemplateModel {
        let reason: String
        var remedy: String?
        var mark: Mark?
    }

    /// An index of the schema that the query needs.
    struct Mark: TemplateModel {
        let field: String
        let option: String
    }

    let chooser: RecordsChooser
    let isDevelopment: Bool

    // Where a record type is chosen.
    var form: QueryFormModel?
    var recordsPath: String?
    /// The deleted records of the type; nil where none are kept.
    var binHref: String?
    var listQuery: String?
    var failure: Failure?
    var snippets: [Snippet] = []

    // Where the query was answered.
    var table: String?
    var plan: Plan?
    var isEmpty = false
    var isLimited = false
    var isFiltered = false
    var hasPages = false
    var first: String?
    var previous: String?
    var next: String?
    var last: String?
    var count: String?
    var countHref: String?
    var shown: String?
}

/// The chooser of database, zone and record type.
struct RecordsChooser: TemplateModel {
    struct Option: TemplateModel {
        let value: String
        let encoded: String
        let title: String
        let isChosen: Bool
    }

    let databases: [Option]
    let zones: [Option]
    let hasZones: Bool
    let hasManyZones: Bool
    let zone: String
    let types: [Option]
    let hasTypes: Bool
    let hasManyTypes: Bool
    let type: String?
    /// The same records without conditions.
    let typeHref: String?
    let newHref: String
    let importHref: String
    /// Whose private database it is.
    let owner: String?
    /// Who looks as whom, where somebody takes part in what another shares.
    let look: String?
}

/// The builder of filters and sorts.
struct QueryFormModel: TemplateModel {
    struct Choice: TemplateModel {
        let value: String
        let title: String
        let isChosen: Bool
    }

    struct Filter: TemplateModel {
        let number: Int
        /// Whether the row is there to be filled in.
        let isSpare: Bool
        let value: String
        let fields: [Choice]
        let comparators: [Choice]
    }

    struct Sort: TemplateModel {
        let number: Int
        let isSpare: Bool
        let isDescending: Bool
        let fields: [Choice]
    }

    struct Limit: TemplateModel {
        let value: Int
        let isChosen: Bool
    }

    let filters: [Filter]
    let hasFilters: Bool
    let filterCount: Int
    let sorts: [Sort]
    let hasSorts: Bool
    let sortTitle: String
    let predicate: String
    let limits: [Limit]
    let showsSystemFields: Bool
    let isOpen: Bool
    /// What the form keeps of the address: the place and the type.
    let hidden: [HiddenInput]
    /// The whole query, for the forms that act on it.
    let all: [HiddenInput]
    let checkHref: String
    /// What scripts know of the fields, as JSON.
    let fields: String
}

/// A name and a value that a form sends along.
struct HiddenInput: TemplateModel {
    let name: String
    let value: String

    /// Those of an address.
    static func all(_ items: [(name: String, value: String)]) -> [HiddenInput] {
        items.map { HiddenInput(name: $0.name, value: $0.value) }
    }
}

/// A text to paste into an app or a shell.
struct Snippet: TemplateModel {
    let id: String
    let title: String
    let code: String

    /// The snippets of a page, by title.
    static func all(_ texts: [(title: String, code: String)]) -> [Snippet] {
        texts.enumerated().map { Snippet(id: "snippet-\($0)", title: $1.title, code: $1.code) }
    }
}
