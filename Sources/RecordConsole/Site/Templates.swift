import Foundation
import Mustache

/// The pages' templates, read once.
struct Templates: Sendable {
    private let library: MustacheLibrary

    /// Every template: the name that pages use, and its text.
    static let files: [(name: String, text: [UInt8])] = [
        ("layout", PackageResources.layout_mustache),
        ("error", PackageResources.error_mustache),
        ("sign-in", PackageResources.sign_in_mustache),
        ("enter", PackageResources.enter_mustache),
        ("containers", PackageResources.containers_mustache),
        ("overview", PackageResources.overview_mustache),
        ("start", PackageResources.start_mustache),
        ("records", PackageResources.records_mustache),
        ("record", PackageResources.record_mustache),
        ("record-conflict", PackageResources.record_conflict_mustache),
        ("record-delete", PackageResources.record_delete_mustache),
        ("records-delete-all", PackageResources.records_delete_all_mustache),
        ("records-import", PackageResources.records_import_mustache),
        ("time", PackageResources.time_mustache),
        ("users", PackageResources.users_mustache),
        ("zones", PackageResources.zones_mustache),
        ("changes", PackageResources.changes_mustache),
        ("schema", PackageResources.schema_mustache),
        ("schema-new", PackageResources.schema_new_mustache),
        ("schema-text", PackageResources.schema_text_mustache),
        ("schema-deploy", PackageResources.schema_deploy_mustache),
        ("assets", PackageResources.assets_mustache),
        ("audit", PackageResources.audit_mustache),
        ("requests", PackageResources.requests_mustache),
        ("request", PackageResources.request_mustache),
        ("request-row", PackageResources.request_row_mustache),
        ("request-missing", PackageResources.request_missing_mustache),
        ("rejected", PackageResources.rejected_mustache),
        ("waiting", PackageResources.waiting_mustache),
        ("charts", PackageResources.charts_mustache),
        ("chart", PackageResources.chart_mustache),
    ]

    /// - Throws: the parser's error for a template that is broken.
    init() throws {
        HTMLText.ContentType.register()
        var library = MustacheLibrary()
        for (name, text) in Self.files {
            try library.register(Self.source(String(decoding: text, as: UTF8.self)), named: name)
        }
        self.library = library
    }

    private static func source(_ text: String) -> String { HTMLText.ContentType.pragma + text }

    /// Renders a template; texts are escaped for HTML.
    func render(_ name: String, _ model: [String: Any]) -> String {
        current.render(Model.cleaned(model), withTemplate: name) ?? ""
    }

    private var current: MustacheLibrary {
        #if DEBUG
        // Who works on a page sees a change without a build.
        if let folder = ConsoleSources.folder {
            var library = library
            for (name, _) in Self.files {
                let path = "\(folder)/Templates/\(name).mustache"
                guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
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
