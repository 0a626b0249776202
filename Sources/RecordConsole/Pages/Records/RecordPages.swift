import HTTPTypes
import HummingbirdCore
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import RecordWire

/// One record: its form, its JSON, making it and saving it.
enum RecordPages {
    static let routes: [Route] = [
        .get("/c/:container/:environment/records/:name", show),
        .post("/c/:container/:environment/records/:name", save),
        // The list answers with a record where the query names one; see RecordsAddress.recordPath.
        .post("/c/:container/:environment/records", save),
        .get("/c/:container/:environment/new-record", new),
        .post("/c/:container/:environment/new-record", create),
    ]

    // MARK: Showing

    @Sendable static func show(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context)
        try await scope.auditLook()
        let record = try await lookup(name(context), scope)
        return try await page(record, scope, isJSON: context.query["view"] == "json")
    }

    private static func name(_ context: ConsoleContext) -> String {
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

    /// What a page shows besides the record.
    struct Attempt {
        /// Why saving failed.
        var problem: Problem?
        /// What was typed.
        var form: FormValues?
        var status = 200
    }

    /// Why saving failed.
    struct Problem {
        var reason: String
        var remedy: String?
        /// A line of the JSON, and a caret below the place.
        var caret: String?

        /// What the form says of an error that the person can mend.
        ///
        /// - Throws: any other error, as it is.
        init(_ error: any Error) throws {
            switch error {
            case let error as ErrorDictionary:
                reason = error.reason ?? error.serverErrorCode
                remedy = error.remedy
            case let error as ServiceError:
                reason = error.reason
                remedy = error.remedy
            case let error as JSONFieldsError:
                reason = error.message
                caret = error.caret
            default: throw error
            }
        }

        var model: [String: String] {
            ["reason": reason, "remedy": remedy, "caret": caret].compactMapValues { $0 }
        }
    }

    private static func page(
        _ record: JSONObject, _ scope: RecordsScope, isJSON: Bool, attempt: Attempt = Attempt()
    ) async throws -> SiteAnswer {
        let name = record["recordName"]?.string ?? ""
        let typeName = record["recordType"]?.string ?? ""
        let type = scope.schema.types[typeName] ?? RecordType(name: typeName, id: 0)
        var model = model(scope, type, isJSON: isJSON, attempt: attempt)
        model["name"] = name
        model["tag"] = attempt.form?["tag"] ?? record["recordChangeTag"]?.string ?? ""
        model["system"] = systemModel(record)
        model["references"] = try await ReferenceCounts(to: name, scope).model(scope)
        model["action"] = scope.href(scope.address.recordPath(name, view: isJSON ? "json" : nil))
        model["formHref"] = scope.href(scope.address.recordPath(name))
        model["jsonHref"] = scope.href(scope.address.recordPath(name, view: "json"))
        model["uploadAction"] = scope.href(
            "/record-file"
                + RecordsAddress.query(
                    scope.address.placeItems + [
                        ("name", name), ("tag", record["recordChangeTag"]?.string ?? ""),
                        ("csrf", scope.context.session?.csrf ?? ""),
                    ]))
        model["deleteHref"] = scope.href(
            "/delete-record" + RecordsAddress.query(scope.address.placeItems + [("name", name)]))
        if isJSON {
            model["json"] =
                attempt.form?.text("json") ?? (record["fields"] ?? .object(JSONObject())).indented()
        } else {
            model["fields"] = RecordForm(type, fields: record["fields"]?.object).model(typed: attempt.form)
                .map(scope.linkingTarget)
        }
        return scope.context.page(
            "record", title: name, section: .records, model, status: .init(code: attempt.status))
    }

    static func model(
        _ scope: RecordsScope, _ type: RecordType, isJSON: Bool, attempt: Attempt
    ) -> [String: Any] {
        var model: [String: Any] = [
            "type": type.name, "isJSON": isJSON, "isDevelopment": scope.isDevelopment,
            "listHref": scope.href(
                "/records" + RecordsAddress.query(scope.address.placeItems + [("type", type.name)])),
            "place": scope.address.placeItems.map { ["name": $0.name, "value": $0.value] },
            "newTypes": FieldType.Scalar.allCases.filter { $0 != .asset }.flatMap { scalar in
                [FieldType(scalar), .list(scalar)].map(\.tag)
            },
        ]
        model["problem"] = attempt.problem?.model
        model["owner"] = scope.address.owner
        model["zone"] = scope.address.zone == ZoneID.defaultName ? nil : scope.address.zone
        model["newField"] = attempt.form?["new.name"]
        model["newValue"] = attempt.form?["new.value"]
        return model
    }

    private static func systemModel(_ record: JSONObject) -> [[String: Any]] {
        ["created", "modified"].compactMap { key in
            record[key]?.object.map { stamp in
                var html = HTMLWriter()
                RecordCells.time(stamp["timestamp"]?.int ?? 0, to: &html)
                return ["title": key, "time": html.html, "user": stamp["userRecordName"]?.string ?? ""]
            }
        }
    }

    // MARK: Saving

    @Sendable private static func save(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context)
        let name = name(context)
        let isJSON = context.form.text("json") != nil
        let record = try await lookup(name, scope)
        let type = try scope.type(named: record["recordType"]?.string ?? "")
        var attempt = Attempt(form: context.form)
        do {
            let input = try input(name, type, record, context.form, isDevelopment: scope.isDevelopment)
            guard isJSON || !input.fields.isEmpty else {
                return context.redirect(
                    to: scope.path(scope.address.recordPath(name)), saying: "Nothing was changed.")
            }
            try await modify(RecordOperation(isJSON ? .replace : .update, input), scope)
            try await scope.audit("record.save", name)
            let path = scope.address.recordPath(name, view: isJSON ? "json" : nil)
            return context.redirect(to: scope.path(path), saying: "Saved.")
        } catch let error as ErrorDictionary where error.serverErrorCode == "CONFLICT" {
            return try conflict(error.serverRecord ?? record, type, scope)
        } catch {
            attempt.problem = try Problem(error)
        }
        attempt.status = 400
        return try await page(record, scope, isJSON: isJSON, attempt: attempt)
    }

    /// The record that a form makes of the one that is there.
    private static func input(
        _ name: String, _ type: RecordType, _ record: JSONObject, _ form: FormValues, isDevelopment: Bool
    ) throws -> RecordInput {
        var input = RecordInput(
            recordName: name, recordType: type.name, recordChangeTag: form["tag"] ?? "")
        if let json = form.text("json") {
            input.fields = try JSONFields.read(json)
        } else {
            input.fields = try RecordForm(type, fields: record["fields"]?.object).changes(in: form)
            if let added = try NewField.read(form, isDevelopment: isDevelopment) {
                input.fields.append(added)
            }
        }
        return input
    }

    /// Sends one operation.
    ///
    /// - Returns: the record as it is now.
    /// - Throws: `ErrorDictionary` where it is refused.
    @discardableResult
    static func modify(_ operation: RecordOperation, _ scope: RecordsScope) async throws -> JSONObject {
        let request = RecordsModifyRequest(operations: [operation], zoneID: scope.address.zoneID)
        let json = try await scope.ask(.recordsModify, request).json
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
