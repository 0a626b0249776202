import RecordModel
import RecordServer
import RecordStorage

/// What operators did.
enum AuditPages {
    static let routes: [Route] = [.get("/audit", list)]

    private static let pageLength = 100

    @Sendable private static func list(_ context: ConsoleContext) async throws -> SiteAnswer {
        let before = context.query["before"].flatMap(Int64.init)
        let rows = try await context.read {
            try $0.audit(before: before, limit: pageLength + 1)
        }
        let page = rows.prefix(pageLength)
        let models = page.map { row in
            AuditPage.Row(
                at: TimeModel(row.at), operator: row.operatorName.isEmpty ? "somebody" : row.operatorName,
                action: row.action, words: words(for: row.action), subject: row.subject,
                tenant: row.tenant?.description ?? "", request: row.requestID,
                requestHref: "/console/requests/" + FormValues.encoded(row.requestID))
        }
        return context.page(
            AuditPage(
                rows: models, isEmpty: models.isEmpty, isLater: before != nil,
                older: rows.count > pageLength ? page.last?.id : nil,
                limit: NumberText.grouped(Limits.auditEntries)),
            title: "What operators did", section: .audit)
    }

    /// `record.delete` in words: `delete record`.
    private static func words(for action: String) -> String {
        switch action {
        case "backup.check": "try a restore of a backup"
        case "private.look": "look at private data"
        case "rejected.dismiss": "dismiss refused requests"
        case "session.open": "enter the demo"
        case "session.end": "sign out"
        case "record.refused": "was refused a write"
        case "session.secret": "sign in by secret"
        case "session.link": "sign in by link"
        case "session.refused": "was not let in"
        default: action.split(separator: ".").reversed().joined(separator: " ")
        }
    }
}
