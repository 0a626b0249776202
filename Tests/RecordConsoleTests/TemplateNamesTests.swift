import Foundation
import TestSupport
import Testing

@testable import RecordConsole

/// Every name in a template is a property of the struct that it shows, and every property is shown.
@Suite struct TemplateNamesTests {
    private static let texts = Dictionary(
        uniqueKeysWithValues: Templates.files.map { ($0.name, String(decoding: $0.text, as: UTF8.self)) })

    /// Pages that are rendered without a frame: they stand alone.
    private static let unframed = [
        LayoutPage.template.name, StartTemplate.template.name, RequestRow.template.name,
        UserPage.template.name,
    ]

    /// Pages that nothing includes, and rows that are sent by themselves.
    private static var roots: [any TemplatePage.Type] {
        let included = Set(
            texts.values.flatMap { $0.matches(of: /\{\{>\s*([^}\s]+)\s*\}\}/).map { String($0.1) } })
        return Templates.pages.filter { !included.contains($0.template.name) } + [RequestRow.self]
    }

    private static func walk() -> TemplateNames {
        var names = TemplateNames(texts)
        for page in roots {
            let isFramed = !unframed.contains(page.template.name)
            names.walk(page.template.name, isFramed ? [PageFrame.self, page] : [page])
        }
        return names
    }

    @Test func `Every name in every template is a property of what it shows`() {
        let names = Self.walk()
        #expect(names.problems == [])
        #expect(names.walked == Set(Self.texts.keys))
    }

    @Test func `Every property is shown by a template`() {
        let named = Self.walk().named
        for part in Templates.pages.flatMap({ TemplateNames.parts(of: $0) }) + [PageFrame.self] {
            for property in TemplateNames.properties(of: part) {
                #expect(named.contains("\(part).\(property.name)"), "Nothing shows \(part).\(property.name).")
            }
        }
    }

    @Test func `No page has a name of the frame`() {
        let frame = Set(TemplateNames.properties(of: PageFrame.self).map(\.name))
        for page in Self.roots where !Self.unframed.contains(page.template.name) {
            #expect(frame.isDisjoint(with: TemplateNames.properties(of: page).map(\.name)), "\(page)")
        }
    }

    @Test func `Every file of a template belongs to one page`() throws {
        let folder = Checkout.file("Sources/RecordConsole/Templates").path
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".mustache") }.map { String($0.dropLast(9)) }
        #expect(files.sorted() == Templates.files.map(\.name).sorted())
    }

    /// The walk itself: what it has to find.
    @Test(arguments: [
        ("{{#zones}}{{nmae}}{{/zones}}", "there is no 'nmae'"), ("{{zonse}}", "there is no 'zonse'"),
        ("{{#zones}}{{name}}{{/users}}", "'users' ends where it does not begin"),
        ("{{#zones}}{{name}}", "'zones' does not end"), ("{{name}}", "there is no 'name'"),
        ("{{#users}}{{/users}}{{>tiem}}", "no template 'tiem'"), ("{{>time}}", "where there is no TimeModel"),
        ("{{zones.nmae}}", "has no 'zones.nmae'"), ("{{{htlm}}}", "there is no 'htlm'"),
        ("{{^isEmty}}{{/isEmty}}", "there is no 'isEmty'"),
    ])
    func `What is wrong is found`(text: String, problem: String) {
        var names = TemplateNames(Self.texts.merging(["zones": text]) { $1 })
        names.walk("zones", [PageFrame.self, ZonesPage.self])
        #expect(names.problems.contains { $0.contains(problem) }, "\(names.problems)")
    }

    @Test func `What is right is not complained of`() {
        var names = TemplateNames([
            "zones":
                "{{csrf}}{{base}}{{#zones}}{{name}}{{#isCustom}}{{sequence}}{{db}}{{/isCustom}}{{/zones}}"
                + "{{#next}}{{next}}{{.}}{{/next}}{{^users}}{{isEmpty}}{{/users}}{{{ db }}}"
        ])
        names.walk("zones", [PageFrame.self, ZonesPage.self])
        #expect(names.problems == [])
    }
}
