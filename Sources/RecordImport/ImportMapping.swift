package import RecordModel
package import RecordWire

/// How the columns of a file become the fields of a record type.
package struct ImportMapping: Sendable {
    /// What was asked for on the command line.
    package struct Rules: Sendable, Equatable {
        package var types: [FieldRule] = []
        package var locations: [LocationRule] = []
        package var renames: [RenameRule] = []
        package var ignored: [String] = []
        package var nameField: String?
        /// Whether a row whose ``nameField`` is empty gets a name of file and line, instead of being refused.
        package var makesNames: Bool
        /// Whether numbers of a CSV file have a comma as their decimal sign.
        package var hasDecimalComma: Bool

        /// Collects the rules.
        package init(
            types: [FieldRule] = [], locations: [LocationRule] = [], renames: [RenameRule] = [],
            ignored: [String] = [], nameField: String? = nil, makesNames: Bool = false,
            hasDecimalComma: Bool = false
        ) {
            self.hasDecimalComma = hasDecimalComma
            self.types = types
            self.locations = locations
            self.renames = renames
            self.ignored = ignored
            self.nameField = nameField
            self.makesNames = makesNames
        }
    }

    /// What becomes of one column, or of one member of JSON lines.
    package struct Target: Sendable, Equatable {
        /// The field.
        package var field: String
        /// Its type; nil where the shape of the JSON decides.
        package var type: FieldType?
        /// Whether the type was asked for, and so is sent with the value.
        package var isForced: Bool
    }

    /// The record type.
    package let recordType: String
    /// What was asked for.
    package let rules: Rules
    /// The heading of a CSV file; nil for JSON lines.
    package let header: [String]?
    private let targets: [String: Target]
    private let fingerprint: String

    /// Makes a mapping from what was asked for and from the first rows of the file.
    ///
    /// - Parameters:
    ///   - isCSV: whether the first row names the columns.
    ///   - file: what errors call the file.
    ///   - fingerprint: what the names of records begin with that have none of their own.
    /// - Throws: an ``ImportError`` when a column cannot be a field, or a rule names a column that is not there.
    package init(
        recordType: String, rules: Rules, isCSV: Bool, file: String, fingerprint: String,
        sample: [ImportRow]
    ) throws(ImportError) {
        self.recordType = recordType
        self.rules = rules
        self.fingerprint = fingerprint
        do {
            try Names.checkIdentifier(recordType, what: "record type")
        } catch {
            throw ImportError(error.reason, remedy: error.remedy)
        }
        var columns = ColumnSurvey()
        if isCSV {
            if case .malformed(let reason)? = sample.first?.content {
                throw ImportError(
                    "The heading of the file \(file) cannot be read. \(reason)",
                    remedy: "Save it as CSV in UTF-8 (spreadsheets call it 'CSV UTF-8'), or convert it: "
                        + "iconv -f latin1 -t utf-8.")
            }
            guard case .cells(let cells)? = sample.first?.content else {
                throw ImportError(
                    "The file \(file) has no heading.", remedy: "Its first line names the columns.")
            }
            header = cells
            for row in sample.dropFirst() {
                columns.add(row.content, header: cells, hasDecimalComma: rules.hasDecimalComma)
            }
            columns.names = cells
        } else {
            header = nil
            for row in sample { columns.add(row.content, header: []) }
        }
        targets = try Self.targets(rules, columns, isCSV: isCSV)
    }

    /// The fields with their types, in the order of the columns, for people.
    package var summary: [(column: String, field: String, type: String)] {
        let names = header ?? targets.keys.sorted()
        var lines = names.compactMap { name -> (String, String, String)? in
            targets[name].map { (name, $0.field, $0.type.map(FieldRule.title) ?? "as it comes") }
        }
        for rule in rules.locations {
            lines.append(("\(rule.latitude), \(rule.longitude)", rule.field, "LOCATION"))
        }
        return lines
    }

    /// Makes a record of a row.
    ///
    /// - Throws: ``RowError`` with the reason why it cannot be one.
    package func record(_ row: ImportRow) throws(RowError) -> RecordInput {
        switch row.content {
        case .malformed(let reason): throw RowError(reason)
        case .cells(let cells):
            guard let header else { throw RowError("The row has no heading.") }
            guard cells.count == header.count else {
                throw RowError("The row has \(cells.count) cells, the heading has \(header.count).")
            }
            var members: [(key: String, value: JSONValue)] = []
            for (name, cell) in zip(header, cells) where !cell.isEmpty {
                members.append((name, .string(CSVCell.unguarded(cell))))
            }
            return try record(JSONObject(members), line: row.line, isCSV: true)
        case .object(let object):
            // A record as 'stratus query --json' prints it keeps its name and its fields.
            guard let fields = object["fields"]?.object, let name = object["recordName"]?.string else {
                return try record(object, line: row.line, isCSV: false)
            }
            var record = try record(fields, line: row.line, isCSV: false)
            if rules.nameField == nil { record.recordName = name }
            return record
        }
    }

    private func record(_ object: JSONObject, line: Int, isCSV: Bool) throws(RowError) -> RecordInput {
        var record = RecordInput(recordName: try name(object, line: line), recordType: recordType)
        for (key, value) in object.members where value != .null {
            guard key != rules.nameField, !rules.ignored.contains(key), !isPartOfLocation(key) else {
                continue
            }
            do throws(RowError) {
                if let (field, wire) = try field(key, value, isCSV: isCSV) {
                    record.fields.append((field, wire))
                }
            } catch {
                throw RowError("\(key): \(error.reason)", flags: error.flags)
            }
        }
        for rule in rules.locations {
            guard let north = Self.text(object[rule.latitude]), let east = Self.text(object[rule.longitude])
            else {
                continue
            }
            record.fields.append((rule.field, WireField(.location(try ValueCoercion.location(north, east)))))
        }
        guard !record.fields.isEmpty || rules.nameField != nil else { throw RowError("The row is empty.") }
        return record
    }

    /// Derived names are the same whenever the row is sent, so a repeated batch changes nothing; their order is that
    /// of the file, which the database likes best.
    private func name(_ object: JSONObject, line: Int) throws(RowError) -> String {
        guard let nameField = rules.nameField else { return madeName(line: line) }
        guard let name = Self.text(object[nameField]) else {
            if rules.makesNames { return madeName(line: line) }
            throw RowError(
                "\(nameField): The record name is missing.",
                flags: "Add --make-names to have one made of file and line.")
        }
        do {
            try Names.checkRecordName(name)
        } catch {
            throw RowError("\(nameField): \(error.reason) \(error.remedy ?? "")")
        }
        return name
    }

    private func madeName(line: Int) -> String {
        let number = String(line)
        let zeros = String(repeating: "0", count: max(0, 10 - number.count))
        return "import-\(fingerprint)-\(zeros)\(number)"
    }

    private func field(
        _ key: String, _ value: JSONValue, isCSV: Bool
    ) throws(RowError) -> (String, WireField)? {
        let target = if let known = targets[key] { known } else { try unknown(key) }
        let sent = Self.protocolForm(value)
        guard let type = target.type else { return (target.field, sent ?? WireField(value: value)) }
        // A value that brings its own type along is good as it is where that is the type asked for.
        if let sent, sent.type == type.tag { return (target.field, sent) }
        guard let coerced = try coerced(sent?.value ?? value, as: type, isCSV: isCSV) else { return nil }
        var wire = WireField(coerced)
        if case .double(let number) = coerced { wire.value = .double(number) }
        // Without the tag the schema's own type decides where the field exists: a column of whole numbers then is
        // good for a DOUBLE field as well. A time is a plain number without its tag, so it keeps it.
        if !target.isForced, type.scalar != .timestamp { wire.type = nil }
        return (target.field, wire)
    }

    private func coerced(
        _ value: JSONValue, as type: FieldType, isCSV: Bool
    ) throws(RowError) -> FieldValue? {
        guard isCSV, case .string(let cell) = value else { return try ValueCoercion.value(value, as: type) }
        if rules.hasDecimalComma, [.double, .int64].contains(type.scalar),
            let number = DecimalComma.point(cell)
        {
            return try CSVCell.value(number, as: type)
        }
        return try CSVCell.value(cell, as: type)
    }

    /// A member that the first part of the file did not have.
    private func unknown(_ key: String) throws(RowError) -> Target {
        let field = rules.renames.last { $0.column == key }?.field ?? key
        do {
            try Names.checkIdentifier(field, what: "field name")
        } catch {
            throw RowError(
                error.reason,
                flags: "Add --rename '\(key)=\(Self.suggestion(key))', or --ignore '\(key)'.")
        }
        let type = rules.types.last { $0.name == key || $0.name == field }?.type
        return Target(field: field, type: type, isForced: type != nil)
    }

    /// The field of a JSON value in the protocol's own form (`{"value":…,"type":…}`); nil for any other value.
    private static func protocolForm(_ value: JSONValue) -> WireField? {
        guard let object = value.object, object.members.contains(where: { $0.key == "value" }) else {
            return nil
        }
        return try? WireField(json: object)
    }

    private func isPartOfLocation(_ key: String) -> Bool {
        rules.locations.contains { $0.latitude == key || $0.longitude == key }
    }

    private static func text(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text)?: text.isEmpty ? nil : text
        case .int(let number)?: String(number)
        case .double(let number)?: String(number)
        default: nil
        }
    }
}
