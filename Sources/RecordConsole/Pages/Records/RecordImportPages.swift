import Crypto
import HTTPTypes
import RecordEngine
import RecordImport
import RecordModel
import RecordServer
import RecordWire

/// Bringing a CSV or JSON Lines file into a record type: a look at its first rows, then row by row.
///
/// The browser sends the file in parts of some hundred rows, each as one request, so that neither side holds the
/// whole file, progress is seen, and an import can be stopped. Text that is pasted goes the same way in one part.
enum RecordImportPages {
    static let routes: [Route] = [
        .get("/c/:container/:environment/records-import", form),
        .post("/c/:container/:environment/records-import", preview),
        .post("/c/:container/:environment/records-import-all", importText),
        .post("/c/:container/:environment/records-import-part", body: .stream, importPart),
    ]

    /// The longest part that a script sends.
    private static let partBytes = 12 << 20
    private static let previewRows = 5
    private static let shownProblems = 500

    // MARK: Choosing and looking

    @Sendable private static func form(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context)
        return try await page(scope, [:])
    }

    private static func page(
        _ scope: RecordsScope, _ more: [String: Any], status: Int = 200
    ) async throws -> SiteAnswer {
        var model = try await scope.chooser()
        model["action"] = scope.href("/records-import" + RecordsAddress.query(scope.address.placeItems))
        model["runAction"] = scope.href(
            "/records-import-all" + RecordsAddress.query(scope.address.placeItems))
        model["partAction"] = scope.href(
            "/records-import-part" + RecordsAddress.query(scope.address.placeItems))
        model["listHref"] = scope.href("/records" + scope.address.query)
        model["isDevelopment"] = scope.isDevelopment
        model["place"] = scope.address.placeItems.map { ["name": $0.name, "value": $0.value] }
        model["ownerName"] = scope.address.owner
        model.merge(more) { $1 }
        return scope.context.page(
            "records-import", title: "Import records", section: .records, model, status: .init(code: status))
    }

    /// Shows what would become of the columns. A script sends the beginning of the file and takes the answer's part.
    @Sendable private static func preview(_ context: ConsoleContext) async throws -> SiteAnswer {
        var scope = try RecordsScope(context)
        scope.address.type = context.form["type"]
        let text = context.form.text("text") ?? ""
        do {
            let typeName = context.form["type"] ?? ""
            try Names.checkIdentifier(typeName, what: "record type")
            let separator = context.form["format"] == "jsonl" ? nil : CSVSeparator.detect(in: text.utf8)
            let isCSV = separator != nil
            var rows = ImportText.rows(
                Array(text.utf8), separator: separator, isWhole: context.form["cut"] == nil
            ).rows
            rows = Array(rows.prefix(500))
            let columns = try ImportColumns(rows, isCSV: isCSV, type: scope.schema.types[typeName])
            return try await page(
                scope,
                [
                    "preview": columns.model(rows: Array(rows.prefix(previewRows + (isCSV ? 1 : 0)))),
                    "text": text, "format": isCSV ? "csv" : "jsonl", "isCSV": isCSV, "type": typeName,
                    "isNewType": scope.schema.types[typeName] == nil, "fingerprint": fingerprint(text),
                    "separator": separator.map { String($0) } ?? "",
                ])
        } catch let error as ServiceError {
            return try await page(
                scope, ["problem": error.reason, "remedy": error.remedy ?? "", "text": text], status: 400)
        }
    }

    /// What the names of records begin with that have none of their own: the same file gives the same names, so a
    /// part that is sent twice is there once.
    private static func fingerprint(_ text: String) -> String {
        SHA256.hash(data: Array(text.utf8)).prefix(8).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    // MARK: Importing

    /// Without scripts: all of a pasted text.
    @Sendable private static func importText(_ context: ConsoleContext) async throws -> SiteAnswer {
        var scope = try RecordsScope(context)
        scope.address.type = context.form["type"]
        let settings = try ImportSettings(context.form)
        let text = Array((context.form.text("text") ?? "").utf8)
        let (rows, _) = ImportText.rows(text, separator: settings.separator, isWhole: true)
        let outcome = try await run(rows, isBeginning: true, settings, scope)
        try await scope.audit("records.import", "\(outcome.imported) of \(settings.type)")
        var model: [String: Any] = ["imported": NumberText.grouped(outcome.imported)]
        if !outcome.problems.isEmpty {
            model["rejected"] = outcome.problems.count
            model["problems"] = outcome.problems.prefix(shownProblems).map {
                ["line": $0.line, "reason": $0.reason] as [String: Any]
            }
        }
        return try await page(scope, ["outcome": model])
    }

    /// One part of a file: the settings as a form on the first line, then the bytes.
    @Sendable private static func importPart(_ context: ConsoleContext) async throws -> SiteAnswer {
        let body = try await context.request.body(upTo: partBytes)
        guard let end = body.firstIndex(of: UInt8(ascii: "\n")) else {
            throw ServiceError(.badRequest, "The part has no settings.")
        }
        let form = try FormValues(body[..<end])
        var scope = try RecordsScope(context)
        scope.address.type = form["type"]
        let settings = try ImportSettings(form)
        let line = try line(form)
        let (rows, consumed) = ImportText.rows(
            Array(body[(end + 1)...]), separator: settings.separator, isWhole: form["isLast"] != nil,
            line: line)
        let outcome = try await run(rows, isBeginning: line == 1, settings, scope)
        if outcome.imported > 0 {
            try await scope.audit("records.import", "\(outcome.imported) of \(settings.type)")
        }
        return context.json(
            JSONWriter.text { writer in
                writer.beginObject()
                writer.member("imported", outcome.imported)
                writer.member("consumed", consumed)
                writer.member("nextLine", rows.last?.nextLine ?? line)
                writer.key("problems")
                writer.beginArray()
                for problem in outcome.problems {
                    writer.beginObject()
                    writer.member("line", problem.line)
                    writer.member("reason", problem.reason)
                    writer.endObject()
                }
                writer.endArray()
                writer.endObject()
            })
    }

    /// The line that a part begins on; only the part at the beginning of the file has the first.
    private static func line(_ form: FormValues) throws(ServiceError) -> Int {
        guard let text = form["line"] else { return 1 }
        guard let line = Int(text), CSVReader.lines.contains(line) else {
            throw ServiceError(
                .badRequest, "'\(text.prefix(40))' is not a line number.",
                remedy: "Send a number from 1 to \(CSVReader.lines.upperBound).")
        }
        return line
    }

    private struct Outcome {
        var imported = 0
        var problems: [RowProblem] = []
    }

    private static func run(
        _ rows: [ImportRow], isBeginning: Bool, _ settings: ImportSettings, _ scope: RecordsScope
    ) async throws -> Outcome {
        var rows = rows
        let mapping: ImportMapping
        do {
            mapping = try settings.mapping()
        } catch {
            throw ServiceError(.badRequest, error.sentence)
        }
        // The heading; blank lines may precede it.
        if settings.isCSV, isBeginning, !rows.isEmpty { rows.removeFirst() }
        var outcome = Outcome()
        var batch: [(row: ImportRow, record: RecordInput)] = []
        var names: Set<String> = []
        for row in rows {
            let record: RecordInput
            do {
                record = try mapping.record(row)
            } catch {
                outcome.problems.append(
                    RowProblem(line: row.line, reason: error.reason, row: row.content))
                continue
            }
            // Which of two records of one name would win in one request is chance; the second goes into the next.
            let isTwice = record.recordName.map { !names.insert($0).inserted } ?? false
            if isTwice || batch.count == Limits.operationsPerRequest {
                try await send(&batch, scope, &outcome)
                names = Set([record.recordName].compactMap { $0 })
            }
            batch.append((row, record))
        }
        try await send(&batch, scope, &outcome)
        outcome.problems.sort { $0.line < $1.line }
        return outcome
    }

    private static func send(
        _ batch: inout [(row: ImportRow, record: RecordInput)], _ scope: RecordsScope,
        _ outcome: inout Outcome
    ) async throws {
        guard !batch.isEmpty else { return }
        let sent = batch
        batch = []
        var request = RecordsModifyRequest(
            operations: sent.map { RecordOperation(.forceUpdate, $0.record) }, zoneID: scope.address.zoneID,
            atomic: false)
        request.desiredKeys = []
        let answers = try await scope.ask(.recordsModify, request).json["records"]?.array ?? []
        for (item, answer) in zip(sent, answers) {
            if let error = answer.object.flatMap(ErrorDictionary.init(json:)) {
                let reason = [error.reason ?? error.serverErrorCode, error.remedy].compactMap { $0 }
                outcome.problems.append(
                    RowProblem(
                        line: item.row.line, reason: reason.joined(separator: " "), row: item.row.content))
            } else {
                outcome.imported += 1
            }
        }
    }
}
