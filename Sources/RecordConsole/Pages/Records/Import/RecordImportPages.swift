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
        .post("/c/:container/:environment/records-import", isLook: true, preview),
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
        return try await page(scope)
    }

    private static func page(
        _ scope: RecordsScope, status: Int = 200, _ fill: (inout RecordsImportPage) -> Void = { _ in }
    ) async throws -> SiteAnswer {
        let chooser = try await scope.chooser()
        let place = RecordsAddress.query(scope.address.placeItems)
        var page = RecordsImportPage(
            types: chooser.types, type: chooser.type, action: scope.href("/records-import" + place),
            runAction: scope.href("/records-import-all" + place),
            partAction: scope.href("/records-import-part" + place),
            listHref: scope.href("/records" + scope.address.query), ownerName: scope.address.owner)
        fill(&page)
        return scope.context.page(
            page, title: "Import records", section: .records, status: .init(code: status))
    }

    /// Shows what would become of the columns. A script sends the beginning of the file and takes the answer's part.
    @Sendable private static func preview(_ context: ConsoleContext) async throws -> SiteAnswer {
        var scope = try RecordsScope(context)
        scope.address.type = context.form["type"]
        let text = context.form.text("text") ?? ""
        do {
            let typeName = context.form["type"] ?? ""
            try Names.checkIdentifier(typeName, what: "record type")
            guard !SpreadsheetFile.begins(text.utf8), !text.utf8.prefix(1_000).contains(0) else {
                throw ServiceError(
                    .badRequest, "This is a spreadsheet or another file that is not text.",
                    remedy: SpreadsheetFile.remedy)
            }
            let separator =
                context.form["format"] == "jsonl"
                ? nil
                : try context.form["separator"].map { try ImportSettings.separator($0) }
                    ?? CSVSeparator.detect(in: text.utf8)
            let isCSV = separator != nil
            var rows = ImportText.rows(
                Array(text.utf8), separator: separator, isWhole: context.form["cut"] == nil
            ).rows
            rows = Array(rows.prefix(500))
            let hasDecimalComma =
                isCSV
                && (context.form["decimal"].map { $0 == "comma" }
                    ?? (separator == UInt8(ascii: ";") && DecimalComma.isUsed(in: rows)))
            let columns = try ImportColumns(
                rows, isCSV: isCSV, hasDecimalComma: hasDecimalComma, type: scope.schema.types[typeName])
            let preview = columns.preview(rows: rows, shown: previewRows, type: typeName)
            let form = context.form
            return try await page(scope) {
                $0.decimal = hasDecimalComma ? "comma" : "point"
                $0.finding = finding(separator, hasDecimalComma: hasDecimalComma, form["encoding"])
                $0.separators = RecordsImportPage.separators(chosen: form["separator"])
                $0.decimals = RecordsImportPage.decimals(chosen: form["decimal"])
                $0.preview = preview
                $0.text = text
                $0.format = isCSV ? "csv" : "jsonl"
                $0.isCSV = isCSV
                $0.type = typeName
                $0.isNewType = scope.schema.types[typeName] == nil
                $0.fingerprint = fingerprint(text)
                $0.separator = separator.map { String($0) } ?? ""
            }
        } catch let error as ServiceError {
            return try await page(scope, status: 400) {
                $0.problem = error.reason
                $0.remedy = error.remedy ?? ""
                $0.text = text
            }
        }
    }

    /// How a file was taken that is written in another way than most.
    private static func finding(_ separator: UInt8?, hasDecimalComma: Bool, _ encoding: String?) -> String? {
        var parts: [String] = []
        if let known = encoding.flatMap(TextEncoding.init(rawValue:)), known != .utf8 {
            parts.append("written in \(known.rawValue)")
        }
        switch separator {
        case UInt8(ascii: "\t"): parts.append("separated by tabs")
        case UInt8(ascii: ","), nil: break
        case let byte?: parts.append("separated by '\(UnicodeScalar(byte))'")
        }
        if hasDecimalComma { parts.append("with decimal commas") }
        return parts.isEmpty ? nil : "The file is taken as \(parts.joined(separator: ", "))."
    }

    /// What the names of records begin with that have none of their own: the same file gives the same names, so a
    /// part that is sent twice is there once.
    private static func fingerprint(_ text: String) -> String {
        SHA256.hash(data: Array(text.utf8)).prefix(8).hex
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
        let shown = RecordsImportPage.Outcome(
            imported: NumberText.grouped(outcome.imported),
            rejected: outcome.problems.isEmpty ? nil : outcome.problems.count,
            problems: outcome.problems.prefix(shownProblems).map {
                .init(line: $0.line, reason: $0.reason)
            })
        return try await page(scope) { $0.outcome = shown }
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
        let subject = scope.auditSubject("\(rows.count) rows of \(settings.type)", tag: nil)
        var batch: [(row: ImportRow, record: RecordInput)] = []
        var names: Set<ExactText> = []
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
            let isTwice = record.recordName.map { !names.insert(ExactText($0)).inserted } ?? false
            if isTwice || batch.count == Limits.operationsPerRequest {
                try await send(&batch, subject, scope, &outcome)
                names = Set(record.recordName.map { [ExactText($0)] } ?? [])
            }
            batch.append((row, record))
        }
        try await send(&batch, subject, scope, &outcome)
        outcome.problems.sort { $0.line < $1.line }
        return outcome
    }

    /// Sends a batch.
    ///
    /// - Parameter subject: what the audit log says of the whole part; it is noted with the first batch that saves anything.
    private static func send(
        _ batch: inout [(row: ImportRow, record: RecordInput)], _ subject: String, _ scope: RecordsScope,
        _ outcome: inout Outcome
    ) async throws {
        guard !batch.isEmpty else { return }
        let sent = batch
        batch = []
        var request = RecordsModifyRequest(
            operations: sent.map { RecordOperation(.forceUpdate, $0.record) }, zoneID: scope.address.zoneID,
            atomic: false)
        request.desiredKeys = []
        let isFirst = outcome.imported == 0
        let json = try await scope.context.doing(
            "records.import", tenant: scope.tenant,
            subject: { isFirst && $0.count(of: "records") > 0 ? subject : nil }
        ) {
            try await scope.ask(.recordsModify, request).json
        }
        let answers = json["records"]?.array ?? []
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
