import Foundation
import Mustache

/// The pages' templates, read once.
struct Templates: Sendable {
    private let library: MustacheLibrary

    /// Every page, and every part that has names of its own.
    static let pages: [any TemplatePage.Type] = [
        LayoutPage.self, ErrorPage.self, StartTemplate.self, TimeModel.self,
        SignInPage.self, EnterPage.self, OperatorStepPage.self, OperatorCodesPage.self,
        ContainersPage.self, OverviewPage.self, RejectedModel.self,
        RecordsPage.self, RecordPage.self, RecordConflictPage.self, RecordDeletePage.self,
        RecordsDeleteAllPage.self, RecordsImportPage.self, RecordVersionsPage.self, BinPage.self,
        UsersPage.self, SubscriptionsPage.self, DeliveryPage.self, WebhooksPage.self, WebhookPage.self,
        ZonesPage.self, ChangesPage.self,
        SharesPage.self, SharePage.self, AccessPage.self, AccessWhyModel.self,
        SchemaPage.self, SchemaNewPage.self, SchemaRemovePage.self, SchemaTextPage.self,
        SchemaDeployPage.self,
        AssetsPage.self, AuditPage.self,
        RequestsPage.self, RequestPage.self, RequestRow.self, RequestMissingPage.self,
        ChartsPage.self, ChartModel.self, BackupsPage.self, UserPage.self,
    ]

    /// Every template: those of the pages, and parts that show names of the page that includes them.
    static let files = pages.map { $0.template } + [Template("waiting", PackageResources.waiting_mustache)]

    /// - Throws: `MustacheTemplate.ParserError` for a template that is broken.
    init() throws {
        HTMLText.ContentType.register()
        var library = MustacheLibrary()
        for file in Self.files {
            try library.register(Self.source(String(decoding: file.text, as: UTF8.self)), named: file.name)
        }
        self.library = library
    }

    private static func source(_ text: String) -> String { HTMLText.ContentType.pragma + text }

    /// Renders a page; texts are escaped for HTML.
    ///
    /// - Parameter frame: what the template may name besides.
    func render<Page: TemplatePage>(_ page: Page, in frame: PageFrame? = nil) -> String {
        var members = page.members
        if let frame { members.merge(frame.members) { $1 } }
        let html = current.render(members, withTemplate: Page.template.name)
        assert(html != nil, "The template '\(Page.template.name)' is not in Templates.files.")
        return html ?? ""
    }

    private var current: MustacheLibrary {
        #if DEBUG
        // Who works on a page sees a change without a build.
        if let folder = ConsoleSources.folder {
            var library = library
            for name in Self.files.map(\.name) {
                let path = "\(folder)/Templates/\(name).mustache"
                // Without it, the page stays as it was built.
                guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
                // Where the text is not a template, the built one stays.
                try? library.register(Self.source(text), named: name)
            }
            return library
        }
        #endif
        return library
    }
}

#if DEBUG
/// Where the sources of templates and static files are, for whoever works on them.
enum ConsoleSources {
    static let folder = ProcessInfo.processInfo.environment["STRATUS_CONSOLE_SOURCES"]
}
#endif
