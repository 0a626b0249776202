import HTTPTypes
import HummingbirdCore
import RecordEngine
import RecordModel
import RecordServer
import RecordWire

/// Deleting a record, those that were picked, or all that a query finds.
enum RecordDeletionPages {
    static let routes: [Route] = [
        .get("/c/:container/:environment/delete-record", ask),
        .post("/c/:container/:environment/delete-record", delete),
        .post("/c/:container/:environment/records-delete", deletePicked),
        .get("/c/:container/:environment/records-delete-all", askAll),
        .post("/c/:container/:environment/records-delete-all", deleteAll),
    ]

    // MARK: One

    @Sendable private static func ask(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context)
        let name = context.query["name"] ?? ""
        let record = try await RecordPages.lookup(name, scope)
        return context.page(
            RecordDeletePage(
                name: name, type: record["recordType"]?.string ?? "",
                tag: record["recordChangeTag"]?.string ?? "", fields: fields(of: record, scope),
                references: try await ReferenceCounts(to: name, scope).model(scope),
                action: scope.href("/delete-record" + RecordsAddress.query(scope.address.placeItems)),
                recordHref: scope.href(scope.address.recordPath(name)),
                keptDays: scope.schema.types[record["recordType"]?.string ?? ""]?.keeping?.days),
            title: "Delete \(name)?", section: .records)
    }

    /// How many fields of a record are shown before it is deleted.
    private static let shownFields = 5

    private static func fields(of record: JSONObject, _ scope: RecordsScope) -> String? {
        let members = record["fields"]?.object?.members ?? []
        guard !members.isEmpty else { return nil }
        let cells = RecordCells(
            linkBase: scope.href("/records/"), linkQuery: RecordsAddress.query(scope.address.placeItems))
        var html = HTMLWriter()
        for (name, field) in members.prefix(shownFields) {
            html.mark("<tr><th scope=\"row\">")
            html.text(name)
            html.mark("</th>")
            cells.write(field.object, to: &html)
            html.mark("</td></tr>\n")
        }
        return html.html
    }

    @Sendable private static func delete(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context)
        let name = context.form["name"] ?? ""
        let input = RecordInput(recordName: name, recordType: nil, recordChangeTag: context.form["tag"] ?? "")
        try await RecordPages.modify(RecordOperation(.delete, input), as: "record.delete", scope)
        var items = scope.address.placeItems
        if let type = context.form["type"] { items.append(("type", type)) }
        return context.redirect(
            to: scope.path("/records" + RecordsAddress.query(items)), saying: "\(name) is deleted.")
    }

    // MARK: Picked ones

    @Sendable private static func deletePicked(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context, context.form)
        let names = Array(Set(context.form.all("name"))).sorted()
        let back = scope.path("/records" + scope.address.query)
        guard !names.isEmpty else { return context.redirect(to: back, saying: "No record was selected.") }
        var outcome = Outcome()
        for start in stride(from: 0, to: names.count, by: Limits.operationsPerRequest) {
            let part = Array(names[start..<min(start + Limits.operationsPerRequest, names.count)])
            try await remove(part, scope, &outcome)
        }
        return context.redirect(to: back, saying: outcome.sentence)
    }

    /// What became of records that were to go.
    struct Outcome {
        var deleted = 0
        var failures: [(name: String, reason: String)] = []

        var sentence: String {
            let done = deleted == 1 ? "1 record is deleted." : "\(deleted) records are deleted."
            guard let first = failures.first else { return done }
            return "\(done) \(failures.count) could not be: \(first.name): \(first.reason)"
        }
    }

    private static func remove(_ names: [String], _ scope: RecordsScope, _ outcome: inout Outcome)
        async throws
    {
        let request = RecordsModifyRequest(
            operations: names.map {
                RecordOperation(.forceDelete, RecordInput(recordName: $0, recordType: nil))
            },
            zoneID: scope.address.zoneID, atomic: false)
        let json = try await scope.context.doing(
            "records.delete", tenant: scope.tenant,
            subject: { outcome in
                let deleted = outcome.count(of: "records")
                guard deleted > 0 else { return nil }
                return scope.auditSubject("\(deleted): \(names.joined(separator: ", "))", tag: nil)
            }
        ) {
            try await scope.ask(.recordsModify, request).json
        }
        let answers = json["records"]?.array ?? []
        for (name, answer) in zip(names, answers) {
            if let error = answer.object.flatMap(ErrorDictionary.init(json:)) {
                // One that went with another is gone as well.
                if error.serverErrorCode == ServiceError.Code.notFound.description { continue }
                outcome.failures.append((name, error.reason ?? error.serverErrorCode))
            } else {
                outcome.deleted += 1
            }
        }
    }

    // MARK: All that a query finds

    @Sendable private static func askAll(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context)
        return try await allPage(scope, nil)
    }

    private static func allPage(_ scope: RecordsScope, _ problem: String?) async throws -> SiteAnswer {
        let type = try scope.requiredType()
        let address = scope.address.with { $0.page = .first }
        let count = try await RecordsPages.total(address.request(for: type), scope)
        let page = RecordsDeleteAllPage(
            type: type.name, count: NumberText.grouped(count), total: count, isEmpty: count == 0,
            isFiltered: !address.filters.isEmpty || !address.predicate.isEmpty,
            all: HiddenInput.all(address.items), conditions: conditions(address, type),
            action: scope.href("/records-delete-all"), listHref: scope.href("/records" + address.query),
            isProduction: !scope.isDevelopment, problem: problem, owner: scope.address.owner)
        return scope.context.page(
            page, title: "Delete all that match?", section: .records,
            status: problem == nil ? .ok : .badRequest)
    }

    private static func conditions(_ address: RecordsAddress, _ type: RecordType) -> [String] {
        let fields = QueryField.all(of: type)
        return address.filters.map { filter in
            let title = fields.first { $0.name == filter.field }?.title ?? filter.field
            return "\(title) \(filter.comparator.title) \(filter.comparator.takesValue ? filter.value : "")"
        } + (address.predicate.isEmpty ? [] : [address.predicate])
    }

    /// Deletes the next records that match: as many as one answer names. Scripts repeat it to the end; without
    /// them a page tells how far it is.
    @Sendable private static func deleteAll(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context, context.form)
        let type = try scope.requiredType()
        guard context.form["confirm"]?.trimming({ $0.isWhitespace }) == type.name else {
            return try await allPage(scope, "Type the record type's name to go on.")
        }
        var request = try scope.address.request(for: type)
        request.resultsLimit = Limits.recordsPerAnswer
        request.desiredKeys = []
        let json = try await scope.ask(.recordsQuery, request).json
        let names = json["records"]?.array?.compactMap { $0.object?["recordName"]?.string } ?? []
        var outcome = Outcome()
        if !names.isEmpty { try await remove(names, scope, &outcome) }
        let next = json["continuationMarker"]?.string
        if context.request.request.headers[.accept]?.contains("application/json") == true {
            return context.json(progress(outcome, next))
        }
        let address = scope.address.with { $0.page = .first }
        let rest = next == nil ? "" : " There are more: press the button again."
        return context.redirect(
            to: scope.path((next == nil ? "/records" : "/records-delete-all") + address.query),
            saying: outcome.sentence + rest)
    }

    private static func progress(_ outcome: Outcome, _ next: String?) -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("deleted", outcome.deleted)
            writer.member("next", next)
            writer.key("failures")
            writer.beginArray()
            for failure in outcome.failures {
                writer.beginObject()
                writer.member("name", failure.name)
                writer.member("reason", failure.reason)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
    }
}
