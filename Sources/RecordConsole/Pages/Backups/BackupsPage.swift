/// The backups of the server.
struct BackupsPage: TemplatePage {
    static let template = Template("backups", PackageResources.backups_mustache)

    struct Plan: TemplateModel {
        let folder: String
        let interval: String
        let kept: Int
        let next: TimeModel
        let activity: String?
        let failure: Failure?
    }

    struct Archive: TemplateModel {
        let location: String
        let keeps: String
        let moments: Moments?
        let waiting: String?
        let activity: String?
        let failure: Failure?
    }

    struct Moments: TemplateModel {
        let earliest: TimeModel
        let latest: TimeModel
        let command: String
    }

    struct Failure: TemplateModel {
        let at: TimeModel
        let reason: String
    }

    struct Row: TemplateModel {
        let name: String
        let made: TimeModel
        let size: String
        let records: String
        let files: String
        let isVerified: Bool
        let trial: Trial?
        let action: String
    }

    struct Trial: TemplateModel {
        let at: TimeModel
        let problem: String?
    }

    /// Nil where the server archives nothing.
    let archive: Archive?
    /// Nil where the server makes no backups.
    let plan: Plan?
    let command: String
    let rows: [Row]
    let isEmpty: Bool
}
