/// Bringing a file into a record type.
struct RecordsImportPage: TemplatePage {
    static let template = Template("records-import", PackageResources.records_import_mustache)

    /// What would become of the columns.
    struct Preview: TemplateModel {
        let columns: [Column]
        let header: String
        let hasName: Bool
        let problems: [String]
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
}
