import HTTPTypes
import HummingbirdCore
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import RecordWire

/// Looking for records: the list with its filters, and what belongs to a query.
enum RecordsPages {
    static let routes: [Route] =
        [
            .get("/c/:container/:environment/records", list),
            .get("/c/:container/:environment/records-count", count),
            .get("/c/:container/:environment/records-check", PredicateCheck.answer),
            .post("/c/:container/:environment/records-index", makeIndex),
            .post("/c/:container/:environment/records-mark", markField),
        ] + RecordPages.routes + RecordDeletionPages.routes + RecordExport.routes + RecordImportPages.routes
        + RecordFile.routes + VersionPages.routes

    @Sendable private static func list(_ context: ConsoleContext) async throws -> SiteAnswer {
        if context.query["name"] != nil { return try await RecordPages.show(context) }
        let scope = try RecordsScope(context)
        let address = scope.address
        var page = RecordsPage(chooser: try await scope.chooser(), isDevelopment: scope.isDevelopment)
        guard let type = try scope.type() else {
            return context.page(page, title: "Records", section: .records)
        }
        try await scope.auditLook()
        page.form = QueryForm(scope: scope, type: type).model
        page.recordsPath = scope.href("/records")
        page.binHref =
            type.keeping == nil
            ? nil : scope.href("/bin" + RecordsAddress.query(address.placeItems + [("type", type.name)]))
        page.listQuery = address.with { $0.page = .first }.query
        var status = 200
        do {
            let request = try address.request(for: type)
            try await answer(request, type, scope, &page)
            if page.isEmpty, let other = address.page.whenEmpty {
                return context.redirect(
                    to: scope.path("/records" + address.with { $0.page = other }.query),
                    saying: "The records of that page were deleted.")
            }
            if context.query["count"] != nil {
                page.count = NumberText.grouped(try await total(request, scope))
            }
            page.snippets =
                QuerySnippets(
                    request: request, address: address, type: type, tenant: scope.tenant,
                    baseURL: context.request.baseURL
                ).all
        } catch let error as ErrorDictionary {
            status = 400
            page.failure = failure(error.reason ?? "", error.remedy, scope, type)
        } catch let error as ServiceError {
            status = 400
            page.failure = failure(error.reason, error.remedy, scope, type)
        }
        return context.page(page, title: type.name, section: .records, status: .init(code: status))
    }

    /// Runs the query and fills in what the page shows of it.
    private static func answer(
        _ request: RecordsQueryRequest, _ type: RecordType, _ scope: RecordsScope,
        _ model: inout RecordsPage
    ) async throws {
        let address = scope.address
        let start = ContinuousClock.now
        let (json, trace) = try await scope.ask(.recordsQuery, request)
        let duration = ContinuousClock.now - start
        let records = json["records"]?.array?.compactMap(\.object) ?? []
        let stamps = address.showsSystemFields ? try await OperatorStamps(scope, records) : nil
        model.table = RecordTable(scope: scope, type: type, records: records, stamps: stamps).html
        model.isEmpty = records.isEmpty
        model.isLimited = json["limitedBy"] != nil
        let hasConditions = !address.filters.isEmpty || !address.predicate.isEmpty
        model.isFiltered = hasConditions
        let next = json["continuationMarker"]?.string
        let previous = json["previousMarker"]?.string
        func link(_ page: RecordsAddress.Page) -> String {
            scope.href("/records" + address.with { $0.page = page }.query)
        }
        model.next = next.map { link(.after($0)) }
        model.previous = previous.map { link(.before($0)) }
        model.first = previous == nil ? nil : link(.first)
        model.last = next == nil ? nil : link(.last)
        model.hasPages = next != nil || previous != nil
        if next == nil, previous == nil { model.count = NumberText.grouped(records.count) }
        model.countHref = scope.href("/records-count" + address.with { $0.page = .first }.query)
        model.shown = NumberText.grouped(records.count)
        model.plan = try planModel(request, trace, duration, scope)
    }

    private static func planModel(
        _ request: RecordsQueryRequest, _ trace: ServiceTrace, _ duration: Duration, _ scope: RecordsScope
    ) throws -> RecordsPage.Plan {
        let explanation = try scope.context.console.service.explain(
            request, tenant: scope.tenant, owner: scope.address.databaseOwner)
        let isServed = trace.plan == .index
        let missing =
            isServed || explanation.missing.isEmpty ? nil : explanation.missing.joined(separator: ", ")
        return RecordsPage.Plan(
            isServed: isServed, isWalk: !isServed && !explanation.index.isEmpty,
            isHopeless: !isServed && explanation.missing.isEmpty && explanation.index.isEmpty,
            time: milliseconds(duration),
            index: explanation.index.isEmpty ? nil : explanation.index.joined(separator: ", "),
            missing: explanation.isBeingMade ? nil : missing,
            beingMade: explanation.isBeingMade ? missing : nil)
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let value = duration / .milliseconds(1)
        return value < 10 ? String((value * 10).rounded() / 10) : String(Int(value.rounded()))
    }

    /// What went wrong, with a way out where an index of the schema is missing.
    private static func failure(
        _ reason: String, _ remedy: String?, _ scope: RecordsScope, _ type: RecordType
    ) -> RecordsPage.Failure {
        let words: [(String, String)] = [
            ("queryable", "QUERYABLE"), ("sortable", "SORTABLE"), ("searchable", "SEARCHABLE"),
        ]
        guard scope.isDevelopment,
            let match = reason.firstMatch(of: /^Field '(?<name>\w+)' is not marked (?<word>\w+)/),
            let option = words.first(where: { $0.0 == match.word })?.1,
            let field = type[String(match.name)], FieldIndexes.all(for: field.type).contains(indexes(option))
        else { return .init(reason: reason, remedy: scope.context.remedy(remedy)) }
        return .init(reason: reason, mark: .init(field: field.name, option: option))
    }

    private static func indexes(_ option: String) -> FieldIndexes {
        switch option {
        case "QUERYABLE": .queryable
        case "SORTABLE": .sortable
        case "SEARCHABLE": .searchable
        default: []
        }
    }

    // MARK: Counting

    @Sendable private static func count(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context)
        try await scope.auditLook()
        let count = try await total(scope.address.request(for: scope.requiredType()), scope)
        return context.json(
            JSONWriter.text { writer in
                writer.beginObject()
                writer.member("count", count)
                writer.endObject()
            })
    }

    static func total(_ request: RecordsQueryRequest, _ scope: RecordsScope) async throws -> Int {
        Int(try await scope.ask(.recordsCount, request).json["count"]?.int ?? 0)
    }

    // MARK: Indexes

    @Sendable private static func makeIndex(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context, context.form)
        let request = try scope.address.request(for: scope.requiredType())
        let service = context.console.service
        let wanted = try service.explain(request, tenant: scope.tenant, owner: scope.address.databaseOwner)
            .missing
        let made = try await context.doing(
            "index.make", "\(request.query.recordType): \(Self.columns(wanted))", tenant: scope.tenant
        ) {
            try await service.makeIndex(
                for: request, tenant: scope.tenant, owner: scope.address.databaseOwner)
        }
        let columns = Self.columns(made.isBeingMade ? made.missing : made.index)
        return context.redirect(
            to: scope.path("/records" + scope.address.query),
            saying: made.isBeingMade
                ? "The index on \(columns) is being made; until it is ready, queries look through all records."
                : "The index on \(columns) is ready.")
    }

    private static func columns(_ index: [String]) -> String {
        index.isEmpty ? "the order of the records" : index.joined(separator: ", ")
    }

    @Sendable private static func markField(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context, context.form)
        let name = try scope.requiredType().name
        let tenant = scope.tenant
        guard scope.isDevelopment else {
            throw ServiceError(
                .accessDenied, "Production's schema changes by a deployment from development only.")
        }
        let field = context.form["field"] ?? ""
        let option = context.form["option"] ?? ""
        try await context.doing("schema.index", "\(name).\(field) \(option)", tenant: tenant) {
            try await context.store.write { store in
                guard let type = try store.schema(of: tenant).types[name], let schema = type[field] else {
                    throw ServiceError(.notFound, "The type has no field '\(field.prefix(64))'.")
                }
                let wanted = schema.indexes.union(Self.indexes(option)).intersection(.all(for: schema.type))
                try store.setIndexes(wanted, ofField: field, in: type, tenant: tenant)
            }
        }
        return context.redirect(
            to: scope.path("/records" + scope.address.query), saying: "\(field) is \(option) now.")
    }
}
