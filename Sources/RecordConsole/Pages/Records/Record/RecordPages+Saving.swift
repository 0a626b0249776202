import HTTPTypes
import HummingbirdCore
import RecordEngine
import RecordModel
import RecordServer
import RecordWire

/// Saving a record that is there: what the form changes of the version it was opened with goes into the version
/// that is there now.
extension RecordPages {
    /// How often a record that changes at every try is tried again.
    private static let mostTries = 4

    @Sendable static func save(_ context: ConsoleContext) async throws -> SiteAnswer {
        let (context, refusal) = try await RecordFile.readForm(try RecordsScope(context))
        let name = name(context)
        let scope = try await RecordsScope(context).revealing(name)
        let record: JSONObject
        do {
            record = try await lookup(name, scope)
        } catch let error as ErrorDictionary
            where error.serverErrorCode == "NOT_FOUND" && context.form["recordType"] != nil
        {
            return try gone(name, scope)
        }
        let type = try scope.type(named: record["recordType"]?.string ?? "")
        var attempt = Attempt(form: context.form, base: try base(record, context.form), status: 400)
        do {
            if let refusal { throw refusal }
            let mine = try changes(attempt.base, type, context.form, isDevelopment: scope.isDevelopment)
            return try await merge(mine, attempt.base, record, type, scope)
        } catch {
            attempt.problem = try Problem(error)
        }
        if context.form.text("changes") != nil {
            // The choice between two versions has no form to go back to.
            return try conflictPage(record, type, scope, attempt)
        }
        return try await page(record, scope, isJSON: isJSON(context), attempt: attempt)
    }

    static func isJSON(_ context: ConsoleContext) -> Bool {
        context.form.text("json") != nil || context.query["view"] == "json"
    }

    /// The fields of the version that a form was opened with.
    ///
    /// - Throws: `BAD_REQUEST` where the record has changed since and the form does not say what it was.
    private static func base(_ record: JSONObject, _ form: FormValues) throws(ServiceError) -> JSONObject? {
        guard form["tag"] != record["recordChangeTag"]?.string else { return record["fields"]?.object }
        let text = Array((form["opened"] ?? "").utf8)
        guard let opened = (try? JSONReader.read(text, maximumDepth: Limits.jsonDepth))?.object else {
            throw ServiceError(
                .badRequest,
                "The record was changed meanwhile, and the form does not say what it began with.",
                remedy: "Go back, copy what you typed, and reload the form.")
        }
        return opened
    }

    /// What a form changes of the version that it was opened with.
    private static func changes(
        _ base: JSONObject?, _ type: RecordType, _ form: FormValues, isDevelopment: Bool
    ) throws -> [RecordMerge.Change] {
        if let text = form.text("changes") {
            return try JSONFields.read(text).filter { form["pick." + $0.name] != "theirs" }
        }
        if let json = form.text("json") {
            return RecordMerge.changes(from: base, to: try JSONFields.read(json), type)
        }
        var changes = try RecordForm(type, fields: base).changes(in: form)
        if let added = try NewField.read(form, isDevelopment: isDevelopment) {
            changes.removeAll { $0.name == added.name }
            changes.append(added)
        }
        return changes
    }

    /// Saves what only one side changed, and asks for the rest.
    private static func merge(
        _ mine: [RecordMerge.Change], _ base: JSONObject?, _ record: JSONObject, _ type: RecordType,
        _ scope: RecordsScope
    ) async throws -> SiteAnswer {
        let name = record["recordName"]?.string ?? ""
        let path = scope.path(scope.address.recordPath(name, view: isJSON(scope.context) ? "json" : nil))
        var current = record
        var tries = 0
        while true {
            let merge = RecordMerge(base: base, mine: mine, current: current["fields"]?.object, type: type)
            guard merge.conflicts.isEmpty else {
                return try conflictPage(current, type, scope, Attempt(base: base, status: 409), mine)
            }
            let others =
                merge.theirs.isEmpty
                ? "" : " Kept as changed meanwhile: \(merge.theirs.joined(separator: ", "))."
            guard !merge.changes.isEmpty else {
                return scope.context.redirect(to: path, saying: "Nothing was changed." + others)
            }
            var input = RecordInput(
                recordName: name, recordType: type.name,
                recordChangeTag: current["recordChangeTag"]?.string ?? "")
            input.fields = merge.changes
            do {
                _ = try await modify(RecordOperation(.update, input), as: "record.save", scope)
                return scope.context.redirect(to: path, saying: "Saved." + others)
            } catch let error as ErrorDictionary where error.serverErrorCode == "CONFLICT" {
                tries += 1
                guard let server = error.serverRecord, tries < mostTries else { throw error }
                current = server
            }
        }
    }

    /// The record is gone meanwhile: what was typed becomes the form of a new one.
    private static func gone(_ name: String, _ scope: RecordsScope) throws -> SiteAnswer {
        var scope = scope
        var form = scope.context.form
        if form["name"] == nil { try form.append("name", name) }
        scope.address.type = form["recordType"]
        let problem = Problem(
            reason: "The record was deleted meanwhile.",
            remedy: "What you typed is still here: 'Make the record' creates it again.")
        return try newPage(scope, Attempt(problem: problem, form: form, status: 404))
    }
}
