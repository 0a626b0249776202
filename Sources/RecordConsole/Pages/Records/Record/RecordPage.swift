/// One record, or a new one: its form or its JSON.
struct RecordPage: TemplatePage {
    static let template = Template("record", PackageResources.record_mustache)

    /// A file that was sent and is not saved yet.
    struct SentFile: TemplateModel {
        let sent: String
        let label: String
    }

    /// Who made or saved the record, and when.
    struct Stamp: TemplateModel {
        let title: String
        let time: String
        let user: String
    }

    /// A record type that exists.
    struct TypeName: TemplateModel {
        let value: String
    }

    let type: String
    let isJSON: Bool
    let isDevelopment: Bool
    let listHref: String
    let fileBytes: Int
    let fileAction: String
    let problem: RecordProblem?
    let owner: String?
    /// Whether one looks as a participant, who may not be written for.
    let isLook: Bool
    let sharedBy: String?
    let zone: String?
    var name = ""
    var action = ""
    var formHref = ""
    var jsonHref = ""
    var versionsHref = ""
    var json: String?
    /// The names of encrypted fields, whether they are shown, and the address that changes it.
    var encrypted: String?
    var isRevealed = false
    var revealHref = ""
    var fields: [RecordFieldModel] = []

    // The field to add.
    let newTypes: [FieldTypeModel]
    let newField: String?
    let newValue: String?
    let newSent: [SentFile]

    // A new record.
    var isNew = false
    var types: [TypeName] = []

    // A record that is there.
    var tag = ""
    var opened = ""
    var deleteHref = ""
    var system: [Stamp] = []
    var references: ReferencesModel?
    /// The share that the record belongs to, and whether somebody may see the record.
    var share: ShareModel?
    var why: AccessWhyModel?
    var snippets: [Snippet] = []
}

/// Why a record could not be saved.
struct RecordProblem: TemplateModel {
    let reason: String
    let remedy: String?
    let caret: String?
}

/// A field of a record's form.
struct RecordFieldModel: TemplateModel {
    /// What a reference does when its target is deleted.
    struct Action: TemplateModel {
        let value: String
        let isChosen: Bool
    }

    /// A file that the record has, or one that was sent for it.
    struct File: TemplateModel {
        var html: String?
        var sent: String?
        var label: String?
        let key: String
        let number: Int
        let isDropped: Bool
    }

    let id: String
    let name: String
    let type: String
    let hint: String
    let isNone: Bool
    let text: String
    let mistake: String?

    // The control that shows the value: one of these.
    let isLine: Bool
    let isText: Bool
    let isInteger: Bool
    let isNumber: Bool
    let isTime: Bool
    let isReference: Bool
    let isLocation: Bool
    let isList: Bool
    let isBytes: Bool
    let isFile: Bool
    /// The value is shown and edited as JSON alone.
    let isFixed: Bool

    // References, places and files.
    var actions: [Action] = []
    var targetHref: String?
    var latitude: String?
    var longitude: String?
    var files: [File] = []
    var isMany = false
}

/// The records that point at one.
struct ReferencesModel: TemplateModel {
    struct Example: TemplateModel {
        let name: String
        let href: String
    }

    let isFree: Bool
    let examples: [Example]
    let deletedWithIt: Int?
    let forbidding: Int?
}

/// Two versions of a record, to choose from.
struct RecordConflictPage: TemplatePage {
    static let template = Template("record-conflict", PackageResources.record_conflict_mustache)

    struct Row: TemplateModel {
        let id: String
        let name: String
        let type: String?
        let began: String
        let theirs: String
        let mine: String
        let isMine: Bool
        let isTheirs: Bool
    }

    let recordType: String
    let rows: [Row]
    let hasRows: Bool
    let action: String
    let recordHref: String
    let changes: String
    let opened: String
    let tag: String
    let onlyMine: String
    let hasOnlyMine: Bool
    let onlyTheirs: String
    let hasOnlyTheirs: Bool
    let problem: RecordProblem?
    var time: String?
    var user: String?
}

extension RecordFieldModel {
    init(
        id: String, _ item: RecordForm.Item, _ control: RecordForm.Control, hint: String, isNone: Bool,
        text: String, mistake: String?
    ) {
        self.init(
            id: id, name: item.name, type: item.type.title, hint: hint, isNone: isNone, text: text,
            mistake: mistake, isLine: control == .line, isText: control == .text,
            isInteger: control == .integer, isNumber: control == .number, isTime: control == .time,
            isReference: control == .reference, isLocation: control == .location, isList: control == .list,
            isBytes: control == .bytes, isFile: control == .file, isFixed: control == .fixed)
    }
}
