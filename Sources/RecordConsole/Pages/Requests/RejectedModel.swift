import RecordModel
import RecordServer
import RecordStorage

/// The banner with what production's schemas lacked in the last day.
enum RejectedModel {
    /// The most that the banner lists.
    private static let most = 20

    /// What the template `rejected` shows; nil where nothing was rejected, or all of it is there by now.
    static func model(_ context: ConsoleContext, tenant: Tenant? = nil) -> [String: Any]? {
        let now = context.now
        let entries = context.console.history.rejectedWrites.entries(of: tenant, now: now).filter { entry in
            !isThere(entry.gap, in: context.store.schema(of: entry.tenant))
        }
        guard !entries.isEmpty else { return nil }
        return [
            "gaps": entries.prefix(most).map { entry -> [String: Any] in
                [
                    "what": entry.gap.description, "container": entry.tenant.container.rawValue,
                    "type": entry.gap.fieldType?.title as Any,
                    "count": entry.count == 1 ? "1 request" : "\(entry.count) requests",
                    "last": Model.time(entry.last), "request": entry.request.description,
                    "short": String(entry.request.description.prefix(8)), "user": entry.user as Any,
                    "schema": "/console" + ConsoleContext.path(entry.tenant, "/schema"),
                ]
            },
            "more": max(0, entries.count - most), "hasMore": entries.count > most,
            "commands": Set(entries.map(\.tenant.container.rawValue)).sorted()
                .map { "stratus schema deploy --container \($0)" },
        ]
    }

    private static func isThere(_ gap: SchemaGap, in schema: Schema) -> Bool {
        guard let type = schema.types[gap.recordType] else { return false }
        guard let name = gap.field else { return true }
        guard let field = type[name] else { return false }
        return gap.index.map { field.indexes.isSuperset(of: $0) } ?? true
    }
}
