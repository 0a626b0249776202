import RecordImport
import RecordModel
import RecordWire

/// Reading rows of text that comes in parts.
enum ImportText {
    /// The rows of a text, and how many bytes they take; without the last row where that may be cut off.
    ///
    /// - Parameter separator: what separates the cells of CSV; nil for JSON Lines.
    static func rows(
        _ bytes: [UInt8], separator: UInt8?, isWhole: Bool, line: Int = 1
    ) -> (rows: [ImportRow], consumed: Int) {
        var reader: any RowReader =
            separator.map { CSVReader(separator: $0, line: line) } ?? JSONLinesReader(line: line)
        var rows: [ImportRow] = []
        reader.read(bytes, into: &rows)
        if isWhole {
            reader.finish(into: &rows)
            return (rows, bytes.count)
        }
        return (rows, Int(rows.last?.end ?? 0))
    }
}

/// The columns of a file, with what is proposed to be done with each.
struct ImportColumns {
    /// One column.
    struct Column {
        var name: String
        var field: String
        var type: FieldType?
    }

    private(set) var columns: [Column] = []
    private(set) var nameColumn: String?
    private let header: [String]?
    private let hasDecimalComma: Bool

    /// What record names are called in files that this console and others write.
    private static let nameColumns = ["recordName", "___recordID", "record_name", "id", "_id"]

    /// - Parameter type: the type that the records are for; its own types of fields are kept.
    /// - Throws: `BAD_REQUEST` for a text without rows.
    init(
        _ rows: [ImportRow], isCSV: Bool, hasDecimalComma: Bool, type: RecordType?
    ) throws(ServiceError) {
        self.hasDecimalComma = hasDecimalComma
        var survey = ColumnSurvey()
        if isCSV {
            let cells: [String]
            switch rows.first?.content {
            case .cells(let heading): cells = heading
            case .malformed(let reason):
                throw ServiceError(
                    .badRequest, "The heading cannot be read. \(reason)",
                    remedy: "Save the file as CSV in UTF-8 (spreadsheets call it 'CSV UTF-8').")
            default:
                throw ServiceError(
                    .badRequest, "The file has no heading.",
                    remedy: "The first line of a CSV file names its columns.")
            }
            header = cells
            for row in rows.dropFirst() {
                survey.add(row.content, header: cells, hasDecimalComma: hasDecimalComma)
            }
            survey.names = cells
        } else {
            header = nil
            for row in rows { survey.add(Self.flat(row.content), header: []) }
        }
        guard !survey.names.isEmpty else {
            throw ServiceError(.badRequest, "There is nothing to import in the file.")
        }
        nameColumn = Self.nameColumns.first { survey.names.contains($0) }
        for name in survey.names where name != Self.recordNameOfAnswers || isCSV {
            // Files do not travel in a table: records keep the ones that they have.
            if type?[name]?.type.scalar == .asset {
                columns.append(Column(name: name, field: "", type: nil))
                continue
            }
            let field =
                (try? Names.checkIdentifier(name, what: "field name")) == nil
                ? ImportMapping.suggestion(name) : name
            let shape = survey.shapes[name]
            // JSON has types of its own.
            let told = isCSV || shape == .number ? shape?.type : nil
            columns.append(Column(name: name, field: field, type: type?[field]?.type ?? told))
        }
    }

    private static let recordNameOfAnswers = "recordName"

    /// A record as the service answers it is imported by its fields.
    private static func flat(_ content: ImportRow.Content) -> ImportRow.Content {
        guard case .object(let object) = content, object["recordName"] != nil,
            let fields = object["fields"]?.object
        else { return content }
        return .object(JSONObject(fields.members.map { ($0.key, $0.value.object?["value"] ?? $0.value) }))
    }

    /// What the template shows.
    ///
    /// - Parameters:
    ///   - rows: the first rows of the file.
    ///   - shown: how many of them are shown.
    ///   - type: the record type.
    func preview(rows: [ImportRow], shown: Int, type: String) -> RecordsImportPage.Preview {
        let all = header == nil ? rows : Array(rows.dropFirst())
        let samples = all.prefix(shown)
        let problems = problems(all, type)
        return RecordsImportPage.Preview(
            columns: columns.enumerated().map { index, column in
                RecordsImportPage.Column(
                    number: index, name: column.name, field: column.field,
                    isName: column.name == nameColumn,
                    types: Self.types.map { .init(value: $0.title, isChosen: $0 == column.type) },
                    samples: samples.map { .init(text: sample($0.content, column)) })
            },
            header: String(
                decoding: JSONWriter.text { writer in
                    writer.beginArray()
                    for name in header ?? [] { writer.string(name) }
                    writer.endArray()
                }, as: UTF8.self),
            hasName: nameColumn != nil,
            problems: Array(problems.prefix(Self.problemsShown)),
            rejected: problems.isEmpty ? nil : problems.count, looked: all.count)
    }

    private static let problemsShown = 5

    /// Why rows could not be records as is proposed here: the same that an import says.
    private func problems(_ rows: [ImportRow], _ type: String) -> [String] {
        var rules = ImportMapping.Rules(nameField: nameColumn, hasDecimalComma: hasDecimalComma)
        for column in columns where column.name != nameColumn {
            guard !column.field.isEmpty else {
                rules.ignored.append(column.name)
                continue
            }
            if column.field != column.name {
                rules.renames.append(RenameRule(column: column.name, field: column.field))
            }
            if let type = column.type { rules.types.append(FieldRule(name: column.name, type: type)) }
        }
        let heading = ImportRow(line: 1, end: 0, nextLine: 2, content: .cells(header ?? []))
        let mapping: ImportMapping
        do {
            mapping = try ImportMapping(
                recordType: type, rules: rules, isCSV: header != nil, file: "it", fingerprint: "look",
                sample: header == nil ? [] : [heading])
        } catch {
            return [error.sentence]
        }
        return rows.compactMap { row -> String? in
            do throws(RowError) {
                _ = try mapping.record(row)
                return nil
            } catch {
                return "Line \(row.line): \(error.reason)"
            }
        }
    }

    private static let types = FieldType.all.filter { $0.scalar != .asset }

    private func sample(_ content: ImportRow.Content, _ column: Column) -> String {
        let text: String
        switch Self.flat(content) {
        case .cells(let cells):
            guard let index = header?.firstIndex(of: column.name), index < cells.count else { return "" }
            let isNumber = column.type?.isList == false && [.double, .int64].contains(column.type?.scalar)
            // As it will be stored.
            text =
                hasDecimalComma && isNumber ? DecimalComma.point(cells[index]) ?? cells[index] : cells[index]
        case .object(let object):
            guard let value = object[column.name] else { return "" }
            text = value.string ?? String(decoding: JSONWriter.text { $0.value(value) }, as: UTF8.self)
        case .malformed: return ""
        }
        return text.count > 60 ? text.prefix(59) + "…" : text
    }
}

/// What the form says about an import: its inputs are `column.0`, `field.0`, `type.0` and so on.
struct ImportSettings {
    let type: String
    /// What separates the cells of CSV; nil for JSON Lines.
    let separator: UInt8?
    var isCSV: Bool { separator != nil }
    private let rules: ImportMapping.Rules
    private let header: [String]
    private let fingerprint: String

    init(_ form: FormValues) throws(ServiceError) {
        type = form["type"] ?? ""
        try Names.checkIdentifier(type, what: "record type")
        separator = form["format"] == "jsonl" ? nil : try Self.separator(form["separator"])
        fingerprint = String(
            (form["fingerprint"] ?? "console").prefix(32).filter { $0.isASCII && $0.isLetter || $0.isNumber })
        var rules = ImportMapping.Rules(
            nameField: form["nameColumn"], makesNames: form["makeNames"] != nil,
            hasDecimalComma: form["decimal"] == "comma")
        for (name, column) in form.items where name.hasPrefix("column.") {
            let number = name.dropFirst("column.".count)
            if column == rules.nameField { continue }
            guard let field = form["field.\(number)"]?.trimming({ $0.isWhitespace }) else {
                rules.ignored.append(column)
                continue
            }
            try Names.checkIdentifier(field, what: "field name")
            if field != column { rules.renames.append(RenameRule(column: column, field: field)) }
            if let title = form["type.\(number)"] {
                guard let type = FieldType(title: title), type.scalar != .asset else {
                    throw ServiceError(
                        .badRequest, "'\(title.prefix(40))' is not a type for '\(column.prefix(64))'.")
                }
                rules.types.append(FieldRule(name: column, type: type))
            }
        }
        self.rules = rules
        let header = form["header"] ?? "[]"
        guard let names = try? JSONReader.read(Array(header.utf8)).array else {
            throw ServiceError(.badRequest, "The heading of the file was not sent.")
        }
        self.header = names.compactMap(\.string)
    }

    /// What was chosen or found to separate the cells, as the number of the character; a comma by default.
    static func separator(_ text: String?) throws(ServiceError) -> UInt8 {
        guard let text else { return UInt8(ascii: ",") }
        guard let separator = UInt8(text), CSVSeparator.candidates.contains(separator) else {
            throw ServiceError(.badRequest, "'\(text.prefix(40))' is not a separator of cells.")
        }
        return separator
    }

    /// How rows become records.
    func mapping() throws(ImportError) -> ImportMapping {
        let heading = ImportRow(line: 1, end: 0, nextLine: 2, content: .cells(header))
        return try ImportMapping(
            recordType: type, rules: rules, isCSV: isCSV, file: "it", fingerprint: fingerprint,
            sample: isCSV ? [heading] : [])
    }
}
