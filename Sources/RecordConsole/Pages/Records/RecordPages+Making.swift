import HTTPTypes
import HummingbirdCore
import RecordModel
import RecordServer
import RecordWire

extension RecordPages {
    @Sendable static func new(_ context: ConsoleContext) async throws -> SiteAnswer {
        try newPage(try RecordsScope(context), Attempt())
    }

    static func newPage(_ scope: RecordsScope, _ attempt: Attempt) throws -> SiteAnswer {
        let isJSON = attempt.form?.text("json") != nil || scope.context.query["view"] == "json"
        let typeName = scope.address.type ?? ""
        let type = scope.schema.types[typeName] ?? RecordType(name: typeName, id: 0)
        var model = model(scope, type, isJSON: isJSON, attempt: attempt)
        model["isNew"] = true
        model["name"] = attempt.form?["name"] ?? ""
        model["types"] = scope.schema.types.keys.sorted().map {
            ["value": $0, "isChosen": $0 == typeName] as [String: Any]
        }
        let items = scope.address.placeItems + [("type", typeName)]
        model["action"] = scope.href("/new-record" + RecordsAddress.query(items))
        model["formHref"] = scope.href("/new-record" + RecordsAddress.query(items))
        model["jsonHref"] = scope.href("/new-record" + RecordsAddress.query(items + [("view", "json")]))
        if isJSON {
            model["json"] = attempt.form?.text("json") ?? "{\n}"
        } else {
            model["fields"] = RecordForm(type, fields: nil).model(
                typed: attempt.form, mistake: attempt.problem?.mistake)
        }
        return scope.context.page(
            "record", title: "New record", section: .records, model, status: .init(code: attempt.status))
    }

    @Sendable static func create(_ context: ConsoleContext) async throws -> SiteAnswer {
        let (context, refusal) = try await RecordFile.readForm(try RecordsScope(context))
        var scope = try RecordsScope(context)
        if let typed = context.form["recordType"] { scope.address.type = typed.trimming { $0.isWhitespace } }
        let typeName = scope.address.type ?? ""
        var attempt = Attempt(form: context.form, status: 400)
        do {
            if let refusal { throw refusal }
            let type = scope.schema.types[typeName] ?? RecordType(name: typeName, id: 0)
            var input = RecordInput(recordName: context.form["name"], recordType: typeName)
            if let json = context.form.text("json") {
                input.fields = try JSONFields.read(json)
            } else {
                input.fields = try RecordForm(type, fields: nil).changes(in: context.form)
                if let added = try NewField.read(context.form, isDevelopment: scope.isDevelopment) {
                    input.fields.append(added)
                }
            }
            let made = try await modify(RecordOperation(.create, input), as: "record.create", scope)
            let name = made["recordName"]?.string ?? ""
            return context.redirect(
                to: scope.path(scope.address.recordPath(name)), saying: "The record is there.")
        } catch {
            attempt.problem = try Problem(error)
        }
        return try newPage(scope, attempt)
    }
}
