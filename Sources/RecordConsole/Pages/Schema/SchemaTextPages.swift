import HTTPTypes
import HummingbirdCore
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import SchemaLanguage

/// The schema as a text: to read, to take along, to change as a whole.
enum SchemaTextPages {
    static let routes: [Route] = [
        .get("/c/:container/:environment/schema/text", show),
        .get("/c/:container/:environment/schema/file", file),
        .post("/c/:container/:environment/schema/text", submit),
    ]

    @Sendable private static func show(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        return page(
            context, tenant, text: SchemaText.document(of: context.store.schema(of: tenant)).description)
    }

    @Sendable private static func file(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let text = SchemaText.document(of: context.store.schema(of: tenant)).description
        var answer = context.json(Array(text.utf8))
        answer.response.headers[.contentType] = "text/plain; charset=utf-8"
        answer.response.headers[.contentDisposition] = "attachment; filename=\"schema.ckdb\""
        return answer
    }

    /// Shows what the text would do; with consent, does it.
    @Sendable private static func submit(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let text = context.form.text("text") ?? ""
        guard tenant.environment == .development else {
            throw ServiceError(.badRequest, "A schema's text can be imported into development only.")
        }
        let document: SchemaDocument
        do {
            document = try SchemaDocument(parsing: text)
        } catch {
            let mistakes: [[String: Any]] = error.errors.map {
                [
                    "line": $0.line, "column": $0.column, "message": $0.message, "caret": $0.caret,
                    "remedy": $0.remedy,
                ]
            }
            return page(context, tenant, text: text, ["mistakes": mistakes, "isWrong": true])
        }
        if context.form["apply"] != nil {
            let plan = try await SchemaText.importSchema(
                document, container: tenant.container, allowsLoss: context.form["loss"] != nil,
                store: context.store)
            try await context.audit("schema.import", "\(plan.steps.count) changes", tenant: tenant)
            return context.redirect(
                to: ConsoleContext.path(tenant, "/schema"), saying: "The text is development's schema now.")
        }
        let plan = try await context.store.read(.long) {
            try SchemaText.importPlan(document, container: tenant.container, reader: $0)
        }
        let steps: [[String: Any]] = plan.steps.map {
            [
                "text": $0.change.description, "isLoss": $0.isDestructive && $0.records > 0,
                "records": $0.records,
            ]
        }
        return page(
            context, tenant, text: text,
            [
                "isPreview": true, "steps": steps, "hasSteps": !steps.isEmpty, "refusals": plan.refusals,
                "isRefused": !plan.refusals.isEmpty, "hasLosses": !plan.losses.isEmpty,
                "canApply": plan.refusals.isEmpty && !steps.isEmpty,
            ])
    }

    private static func page(
        _ context: ConsoleContext, _ tenant: Tenant, text: String, _ more: [String: Any] = [:]
    ) -> SiteAnswer {
        let isDevelopment = tenant.environment == .development
        return context.page(
            "schema-text", title: "Schema as text", section: .schema,
            more.merging([
                "text": text, "isDevelopment": isDevelopment,
                "lines": min(
                    40, max(12, text.split(separator: "\n", omittingEmptySubsequences: false).count)),
            ]) { $1 })
    }
}
