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
        let scope = try RecordsScope(context)
        try await scope.auditLook()
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
        var model = model(scope, type, isJSON: isJSON, attempt: attempt)
        model["name"] = name
        model["tag"] = attempt.form?["tag"] ?? record["recordChangeTag"]?.string ?? ""
        model["opened"] = text(.object(fields ?? JSONObject()))
        model["system"] = try await OperatorStamps(scope, [record], created: true).model(of: record)
        model["references"] = try await ReferenceCounts(to: name, scope).model(scope)
        model["action"] = scope.href(scope.address.recordPath(name, view: isJSON ? "json" : nil))
        model["formHref"] = scope.href(scope.address.recordPath(name))
        model["jsonHref"] = scope.href(scope.address.recordPath(name, view: "json"))
        model["deleteHref"] = scope.href(
            "/delete-record" + RecordsAddress.query(scope.address.placeItems + [("name", name)]))
        model["snippets"] =
            RecordSnippets(
                record: record, type: type, address: scope.address, tenant: scope.tenant,
                baseURL: scope.context.request.baseURL
            ).model
        if isJSON {
            model["json"] = attempt.form?.text("json") ?? JSONValue.object(fields ?? JSONObject()).indented()
        } else {
            model["fields"] = RecordForm(type, fields: fields).model(
                typed: attempt.form, mistake: attempt.problem?.mistake
            ).map(scope.linkingTarget)
        }
        return scope.context.page(
            "record", title: name, section: .records, model, status: .init(code: attempt.status))
    }

    /// JSON on one line, as hidden inputs carry it.
    static func text(_ value: JSONValue) -> String {
        String(decoding: JSONWriter.text { $0.value(value) }, as: UTF8.self)
    }

    static func model(
        _ scope: RecordsScope, _ type: RecordType, isJSON: Bool, attempt: Attempt
    ) -> [String: Any] {
        var model: [String: Any] = [
            "type": type.name, "isJSON": isJSON, "isDevelopment": scope.isDevelopment,
            "listHref": scope.href(
                "/records" + RecordsAddress.query(scope.address.placeItems + [("type", type.name)])),
            "place": scope.address.placeItems.map { ["name": $0.name, "value": $0.value] },
            "newTypes": SchemaPages.fieldTypes.map { type in
                var type = type
                type["isChosen"] = type["value"] as? String == attempt.form?["new.type"]
                return type
            },
            "fileBytes": Limits.assetBytes,
            "fileAction": scope.href("/record-file" + RecordsAddress.query(scope.address.placeItems)),
        ]
        model["problem"] = attempt.problem?.model
        model["owner"] = scope.address.owner
        model["zone"] = scope.address.zone == ZoneID.defaultName ? nil : scope.address.zone
        model["newField"] = attempt.form?["new.name"]
        model["newValue"] = attempt.form?["new.value"]
        model["newSent"] = attempt.form?.all(RecordFile.newSentName).compactMap { text in
            (try? SentFile(text: text)).map { ["sent": $0.text, "label": $0.label] }
        }
        return model
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
    /// What a form shows of a field, with a link to the record that it refers to.
    func linkingTarget(_ field: [String: Any]) -> [String: Any] {
        guard let target = field["target"] as? String else { return field }
        return field.merging(["targetHref": href(address.recordPath(target))]) { $1 }
    }

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
