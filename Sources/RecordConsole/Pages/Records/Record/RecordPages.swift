import HTTPTypes
import HummingbirdCore
import RecordEngine
import RecordModel
import RecordServer
import RecordWire

/// One record: its form, its JSON, making it and saving it.
enum RecordPages {
    static let routes: [Route] = [
        .get("/c/:container/:environment/records/:name", show),
        .post("/c/:container/:environment/records/:name", body: .formWithFiles, save),
        // The list answers with a record where the query names one; see RecordsAddress.recordPath.
        .post("/c/:container/:environment/records", body: .formWithFiles, save),
        .get("/c/:container/:environment/new-record", new),
        .post("/c/:container/:environment/new-record", body: .formWithFiles, create),
    ]

    // MARK: Showing

    @Sendable static func show(_ context: ConsoleContext) async throws -> SiteAnswer {
        var scope = try RecordsScope(context)
        try await scope.auditLook()
        scope = try await scope.revealing(name(context))
        let record = try await lookup(name(context), scope)
        return try await page(record, scope, isJSON: context.query["view"] == "json")
    }

    static func name(_ context: ConsoleContext) -> String {
        context.parameters["name"] ?? context.query["name"] ?? ""
    }

    /// A record as the service answers it.
    ///
    /// - Throws: `ErrorDictionary` where it is not there.
    static func lookup(_ name: String, _ scope: RecordsScope) async throws -> JSONObject {
        var request = RecordsLookupRequest(records: [.init(recordName: name)])
        request.zoneID = scope.address.zoneID
        let json = try await scope.ask(.recordsLookup, request).json
        guard let record = json["records"]?.array?.first?.object else {
            throw ServiceError(.notFound, "There is no such record.")
        }
        if let error = ErrorDictionary(json: record) { throw error }
        return record
    }

    static func page(
        _ record: JSONObject, _ scope: RecordsScope, isJSON: Bool, attempt: Attempt = Attempt()
    ) async throws -> SiteAnswer {
        let name = record["recordName"]?.string ?? ""
        let typeName = record["recordType"]?.string ?? ""
        let type = scope.schema.types[typeName] ?? RecordType(name: typeName, id: 0)
        // A form that was refused goes on from the version that it was opened with.
        let fields = attempt.base ?? record["fields"]?.object
        let address = scope.address
        var page = model(scope, type, isJSON: isJSON, attempt: attempt)
        page.name = name
        page.tag = attempt.form?["tag"] ?? record["recordChangeTag"]?.string ?? ""
        page.opened = text(.object(fields ?? JSONObject()))
        page.system = try await OperatorStamps(scope, [record], created: true).models(of: record)
        // Who looks as somebody else sees no more than they do.
        if !address.isLook {
            page.references = try await ReferenceCounts(to: name, scope).model(scope)
            page.share = try await share(of: name, scope)
            page.why = try await AccessPages.question(about: name, scope)
        }
        page.action = scope.recordHref(name, view: isJSON ? "json" : nil, reveals: scope.reveals)
        page.formHref = scope.recordHref(name, reveals: scope.reveals)
        page.jsonHref = scope.recordHref(name, view: "json", reveals: scope.reveals)
        page.tellEncryptedFields(of: type, scope)
        page.versionsHref = scope.href(
            "/record-versions" + RecordsAddress.query(address.placeItems + [("name", name)]))
        page.deleteHref = scope.href(
            "/delete-record" + RecordsAddress.query(address.placeItems + [("name", name)]))
        page.snippets =
            RecordSnippets(
                record: record, type: type, address: address, tenant: scope.tenant,
                baseURL: scope.context.request.baseURL
            ).all
        if isJSON {
            page.json = attempt.form?.text("json") ?? JSONValue.object(fields ?? JSONObject()).indented()
        } else {
            page.fields = RecordForm(type, fields: fields, hidesEncrypted: !scope.reveals).models(
                typed: attempt.form, mistake: attempt.problem?.mistake
            ) { scope.href(address.recordPath($0)) }
        }
        return scope.context.page(
            page, title: name, section: .records, status: .init(code: attempt.status))
    }

    private static func share(of name: String, _ scope: RecordsScope) async throws -> ShareModel? {
        guard let owner = scope.address.owner else { return nil }
        let place = AccessExplanation.Place(owner: owner, zone: scope.address.zone)
        let found = try await scope.context.read { [tenant = scope.tenant] reader in
            try ShareOverview.share(ofRecordNamed: name, in: place, of: tenant, reader)
        }
        return found.map { ShareModel($0, scope.context, scope.tenant) }
    }

    /// JSON on one line, as hidden inputs carry it.
    static func text(_ value: JSONValue) -> String {
        String(decoding: JSONWriter.text { $0.value(value) }, as: UTF8.self)
    }

    /// The page of a record without what a new one and one that is there have each for themselves.
    static func model(
        _ scope: RecordsScope, _ type: RecordType, isJSON: Bool, attempt: Attempt
    ) -> RecordPage {
        let place = scope.address.placeItems
        return RecordPage(
            type: type.name, isJSON: isJSON, isDevelopment: scope.isDevelopment && !scope.address.isLook,
            listHref: scope.href("/records" + RecordsAddress.query(place + [("type", type.name)])),
            fileBytes: Limits.assetBytes,
            fileAction: scope.href("/record-file" + RecordsAddress.query(place)),
            problem: attempt.problem?.model, owner: scope.address.owner, isLook: scope.address.isLook,
            sharedBy: scope.address.sharedBy,
            zone: scope.address.zone == ZoneID.defaultName ? nil : scope.address.zone,
            newTypes: SchemaPages.fieldTypes.map { type in
                var type = type
                type.isChosen = type.value == attempt.form?["new.type"]
                return type
            },
            newField: attempt.form?["new.name"], newValue: attempt.form?["new.value"],
            newSent: (attempt.form?.all(RecordFile.newSentName) ?? []).compactMap { text in
                (try? SentFile(text: text)).map { RecordPage.SentFile(sent: $0.text, label: $0.label) }
            })
    }

    /// Sends one operation.
    ///
    /// - Returns: the record as it is now.
    /// - Throws: `ErrorDictionary` where it is refused.
    @discardableResult
    static func modify(
        _ operation: RecordOperation, as action: String, _ scope: RecordsScope
    ) async throws -> JSONObject {
        let request = RecordsModifyRequest(operations: [operation], zoneID: scope.address.zoneID)
        let json = try await scope.context.doing(
            action, tenant: scope.tenant,
            subject: { outcome in
                guard let record = outcome.first(of: "records") else { return nil }
                // A record that is gone has no version that a page could show.
                let tag = action == "record.delete" ? nil : record["recordChangeTag"]?.string
                return scope.auditSubject(
                    record["recordName"]?.string ?? operation.record.recordName ?? "", tag: tag)
            }
        ) {
            try await scope.ask(.recordsModify, request).json
        }
        let answer = json["records"]?.array?.first?.object ?? JSONObject()
        if let error = ErrorDictionary(json: answer) { throw error }
        return answer
    }
}

extension RecordsScope {
    /// A record type by its name.
    ///
    /// - Throws: `NOT_FOUND`.
    func type(named name: String) throws(ServiceError) -> RecordType {
        guard let type = schema.types[name] else {
            throw ServiceError(.notFound, "There is no record type '\(name.prefix(64))' here.")
        }
        return type
    }
}
