import Dispatch
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
            document = try await Self.document(text)
        } catch let error as SchemaTextError {
            let mistakes = error.errors.map {
                SchemaTextPage.Mistake(
                    line: $0.line, column: $0.column, message: $0.message, caret: $0.caret, remedy: $0.remedy)
            }
            return page(context, tenant, text: text) {
                $0.mistakes = mistakes
                $0.isWrong = true
            }
        }
        guard context.form["apply"] != nil else {
            return try await preview(context, document, text, isOutdated: false)
        }
        do {
            _ = try await context.doing(
                "schema.import", tenant: tenant,
                subject: { ($0.value as? SchemaImportPlan).map { "\($0.steps.count) changes" } }
            ) {
                try await SchemaText.importSchema(
                    document, container: tenant.container, allowsLoss: context.form["loss"] != nil,
                    expecting: context.form["plan"] ?? "", store: context.store,
                    keeping: context.removalKeeping)
            }
            return context.redirect(
                to: ConsoleContext.path(tenant, "/schema"), saying: "The text is development's schema now.")
        } catch is SchemaPreviewOutdated {
            return try await preview(context, document, text, isOutdated: true)
        }
    }

    /// Texts are read one after another on a thread of their own: a form's may be long, and other requests and a
    /// shutdown do not wait for it.
    private static let reading = DispatchQueue(label: "stratus-schema-texts")

    private static func document(_ text: String) async throws -> SchemaDocument {
        try await withCheckedThrowingContinuation { continuation in
            reading.async {
                continuation.resume(with: Result { try SchemaDocument(parsing: text) })
            }
        }
    }

    private static func preview(
        _ context: ConsoleContext, _ document: SchemaDocument, _ text: String, isOutdated: Bool
    ) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let plan = try await context.read {
            try SchemaText.importPlan(document, container: tenant.container, reader: $0)
        }
        let steps = plan.steps.map {
            SchemaTextPage.Step(
                text: $0.change.description, isLoss: $0.isDestructive && $0.records > 0, records: $0.records)
        }
        return page(context, tenant, text: text, status: isOutdated ? .conflict : .ok) {
            $0.isPreview = true
            $0.steps = steps
            $0.hasSteps = !steps.isEmpty
            $0.refusals = plan.refusals
            $0.isRefused = !plan.refusals.isEmpty
            $0.hasLosses = !plan.losses.isEmpty
            $0.canApply = plan.refusals.isEmpty && !steps.isEmpty
            $0.plan = plan.digest
            $0.isOutdated = isOutdated
        }
    }

    private static func page(
        _ context: ConsoleContext, _ tenant: Tenant, text: String, status: HTTPResponse.Status = .ok,
        _ fill: (inout SchemaTextPage) -> Void = { _ in }
    ) -> SiteAnswer {
        let isDevelopment = tenant.environment == .development
        let current = SchemaText.digest(of: context.store.schema(of: tenant))
        // The form tells of which schema its text was made.
        let base = context.form["base"] ?? current
        var page = SchemaTextPage(
            text: text, isDevelopment: isDevelopment, baseDigest: base,
            isStale: isDevelopment && base != current,
            lines: min(40, max(12, text.utf8.count { $0 == UInt8(ascii: "\n") } + 1)))
        fill(&page)
        return context.page(page, title: "Schema as text", section: .schema, status: status)
    }
}
