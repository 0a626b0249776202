/// Bringing a file into a record type.
struct RecordsImportPage: TemplatePage {
    static let template = Template("records-import", PackageResources.records_import_mustache)

    /// What would become of the columns.
    struct Preview: TemplateModel {
        let columns: [Column]
        let header: String
        let hasName: Bool
        /// Why rows cannot be imported as is proposed: the first few.
        let problems: [String]
        /// How many of the rows that were looked at cannot be; nil where all can.
        let rejected: Int?
        let looked: Int
    }

    /// A value that can be chosen.
    struct Choice: TemplateModel {
        let value: String
        let title: String
        let isChosen: Bool
    }

    struct Column: TemplateModel {
        let number: Int
        let name: String
        let field: String
        let isName: Bool
        let types: [FieldType]
        let samples: [Sample]
    }

    struct FieldType: TemplateModel {
        let value: String
        let isChosen: Bool
    }

    struct Sample: TemplateModel {
        let text: String
    }

    /// What came of it.
    struct Outcome: TemplateModel {
        let imported: String
        /// How many rows could not be; nil where all could.
        let rejected: Int?
        let problems: [Problem]
    }

    struct Problem: TemplateModel {
        let line: Int
        let reason: String
    }

    let types: [RecordsChooser.Option]
    var type: String?
    let action: String
    let runAction: String
    let partAction: String
    let listHref: String
    let ownerName: String?
    var problem: String?
    var remedy: String?
    var outcome: Outcome?
    var preview: Preview?
    var text: String?
    var format: String?
    var isCSV = false
    var isNewType = false
    var fingerprint: String?
    var separator: String?
    /// The decimal sign of numbers in CSV: `comma` or `point`.
    var decimal: String?
    /// How the text was taken, in a sentence; nil where as most are.
    var finding: String?
    var separators = Self.separators(chosen: nil)
    var decimals = Self.decimals(chosen: nil)

    static func separators(chosen: String?) -> [Choice] {
        [("", "detected"), ("44", "comma"), ("59", "semicolon"), ("9", "tab"), ("124", "|")].map {
            Choice(value: $0.0, title: $0.1, isChosen: $0.0 == chosen ?? "")
        }
    }

    static func decimals(chosen: String?) -> [Choice] {
        [("", "detected"), ("point", "1,234.5"), ("comma", "1.234,5")].map {
            Choice(value: $0.0, title: $0.1, isChosen: $0.0 == chosen ?? "")
        }
    }
}
