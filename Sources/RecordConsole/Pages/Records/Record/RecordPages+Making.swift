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
        var page = model(scope, type, isJSON: isJSON, attempt: attempt)
        page.isNew = true
        page.name = attempt.form?["name"] ?? ""
        page.types = scope.schema.visibleTypes.keys.sorted().map { .init(value: $0) }
        let items = scope.address.placeItems + [("type", typeName)]
        page.action = scope.href("/new-record" + RecordsAddress.query(items))
        page.formHref = scope.href("/new-record" + RecordsAddress.query(items))
        page.jsonHref = scope.href("/new-record" + RecordsAddress.query(items + [("view", "json")]))
        if isJSON {
            page.json = attempt.form?.text("json") ?? "{\n}"
        } else {
            page.fields = RecordForm(type, fields: nil).models(
                typed: attempt.form, mistake: attempt.problem?.mistake)
        }
        return scope.context.page(
            page, title: "New record", section: .records, status: .init(code: attempt.status))
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
                to: scope.path(scope.address.recordPath(name)), saying: "The record was created.")
        } catch {
            attempt.problem = try Problem(error)
        }
        return try newPage(scope, attempt)
    }
}
