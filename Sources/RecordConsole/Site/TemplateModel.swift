/// A struct that a template shows: its stored properties are the names in the template, and those of its parts the
/// names in the template's sections.
///
/// A property that is nil is as good as missing. `TemplateNamesTests` walks all templates and compares their names with
/// the properties, so a misspelt one does not get far.
protocol TemplateModel: Encodable, Sendable {}

/// A struct that has a template of its own: a page, or a part that several pages include.
protocol TemplatePage: TemplateModel {
    static var template: Template { get }
}

/// A template's name in `Templates/` and its text.
struct Template: Sendable {
    let name: String
    let text: [UInt8]

    init(_ name: String, _ text: [UInt8]) {
        self.name = name
        self.text = text
    }
}
