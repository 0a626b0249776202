/// The files of a container.
struct AssetsPage: TemplatePage {
    static let template = Template("assets", PackageResources.assets_mustache)

    struct RecordType: TemplateModel {
        let name: String
        let encoded: String
        let files: Int
        let size: String
    }

    struct File: TemplateModel {
        let name: String
        let size: String
        let made: TimeModel
        /// Where the picture is; nil for a file of a private database.
        let address: String?
        /// How many records that have it are not listed; nil where all are.
        let more: Int?
        let records: [Use]
    }

    /// A record that has a file.
    struct Use: TemplateModel {
        let name: String
        let field: String
        let isPrivate: Bool
        let href: String
    }

    let files: [File]
    let isEmpty: Bool
    let count: Int
    let size: String
    let types: [RecordType]
    let hasTypes: Bool
    let isLater: Bool
    let next: String?
    let graceHours: Int
}
