internal import SQLiteAccess
internal import StratusCoreData

/// Keeps the history of a store true when the entities get other numbers and properties.
struct HistoryRewrite {
    private let layouts: LayoutMatch
    private let connection: SQLiteConnection
    private let schema: StoredSchema

    init(_ layouts: LayoutMatch, _ connection: SQLiteConnection) throws {
        self.layouts = layouts
        self.connection = connection
        schema = try StoredState.schema(connection)
    }

    func run() throws {
        if schema.columns(of: "ANSCKRECORDMETADATA")?.contains(where: { $0.name == "ZENTITYID" }) == true {
            try renumber("ANSCKRECORDMETADATA", "ZENTITYID")
        }
        guard let columns = schema.columns(of: "ACHANGE") else { return }
        try rewriteBitmaps()
        try moveTombstones(Set(columns.map(\.name)))
        // Nobody can use what happened to objects of entities that are gone.
        let removed = layouts.removed.map { String($0.number) }.joined(separator: ", ")
        if !removed.isEmpty { try connection.execute("DELETE FROM ACHANGE WHERE ZENTITY IN (\(removed))") }
        try renumber("ACHANGE", "ZENTITY")
    }

    private var numbers: [(old: EntityTable, new: EntityTable)] {
        layouts.new.entities.compactMap { new in layouts.oldTable(of: new).map { ($0, new) } }
    }

    private func renumber(_ table: String, _ column: String) throws {
        let moved = numbers.filter { $0.old.number != $0.new.number }
        guard !moved.isEmpty else { return }
        let cases = moved.map { "WHEN \($0.old.number) THEN \($0.new.number)" }.joined(separator: " ")
        let rows = moved.map { String($0.old.number) }.joined(separator: ", ")
        try connection.execute(
            "UPDATE \(table) SET \(column) = CASE \(column) \(cases) END WHERE \(column) IN (\(rows))")
    }

    /// Each property has one bit, by name, so that every property that comes or goes moves the others.
    private func rewriteBitmaps() throws {
        for (old, new) in numbers {
            let places = bitPlaces(old, new)
            guard places.isMoved else { continue }
            let rows = try connection.rows(
                "SELECT DISTINCT ZCOLUMNS FROM ACHANGE WHERE ZENTITY = \(old.number) AND ZCOLUMNS NOT NULL")
            guard !rows.isEmpty else { continue }
            try connection.execute(
                "CREATE TEMP TABLE IF NOT EXISTS stratus_bits (old BLOB PRIMARY KEY, new BLOB)")
            try connection.execute("DELETE FROM temp.stratus_bits")
            for case .blob(let bytes)? in rows.map(\.first) {
                try connection.run(
                    "INSERT INTO temp.stratus_bits (old, new) VALUES (?, ?)",
                    [.blob(bytes), .blob(places.moved(bytes))])
            }
            try connection.execute(
                "UPDATE ACHANGE SET ZCOLUMNS = (SELECT new FROM temp.stratus_bits WHERE old = ZCOLUMNS) "
                    + "WHERE ZENTITY = \(old.number) AND ZCOLUMNS NOT NULL")
        }
    }

    private struct BitPlaces {
        var oldCount: Int
        var newCount: Int
        /// The older bits of each newer one.
        var sources: [[Int]]

        var isMoved: Bool { oldCount != newCount || sources.enumerated().contains { $1 != [$0] } }

        func moved(_ bytes: Data) -> Data {
            var result = Data(count: (newCount + 7) / 8)
            let bytes = [UInt8](bytes)
            for (bit, olds) in sources.enumerated() {
                let isSet = olds.contains {
                    $0 / 8 < bytes.count && bytes[$0 / 8] & (0x80 >> UInt8($0 % 8)) != 0
                }
                if isSet { result[bit / 8] |= 0x80 >> UInt8(bit % 8) }
            }
            return result
        }
    }

    private func bitPlaces(_ old: EntityTable, _ new: EntityTable) -> BitPlaces {
        let (olds, news) = (old.historyBits, new.historyBits)
        let match = layouts.match.match(of: new.entity)
        var sources: [[Int]] = []
        for (bit, slot) in news.enumerated() {
            let name = match?.properties[new.layout.properties[slot].name]?.name
            let candidates = olds.indices.filter {
                name != nil && old.layout.properties[olds[$0]].name == name
            }
            // The second of two bits of one relationship stays the second.
            let isSecond = bit > 0 && news[bit - 1] == slot
            if candidates.count == 2 {
                let isDouble = isSecond || (bit + 1 < news.count && news[bit + 1] == slot)
                sources.append(isDouble ? [candidates[isSecond ? 1 : 0]] : candidates)
            } else {
                sources.append(Array(candidates))
            }
        }
        return BitPlaces(oldCount: olds.count, newCount: news.count, sources: sources)
    }

    /// The n-th column holds the n-th preserved attribute by name.
    private func moveTombstones(_ columns: Set<String>) throws {
        var known = columns
        for (old, new) in numbers {
            let match = layouts.match.match(of: new.entity)
            let olds = old.preservedSlots.map { old.layout.properties[$0].name }
            let sources = new.preservedSlots.map { slot -> Int? in
                match?.properties[new.layout.properties[slot].name].flatMap { olds.firstIndex(of: $0.name) }
            }
            let forms = new.preservedSlots.map { form(new.layout.attributeDescriptions[$0], match) }
            guard
                sources != Array(olds.indices).map(Optional.some) || forms.contains(where: { $0 != .same })
            else { continue }
            for index in sources.indices where known.insert("ZTOMBSTONE\(index)").inserted {
                try connection.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(index) BLOB")
            }
            let count = max(sources.count, olds.count)
            let sets = (0..<count).filter { known.contains("ZTOMBSTONE\($0)") }.map { index -> String in
                let source = index < sources.count ? sources[index] : nil
                let old = source.flatMap { known.contains("ZTOMBSTONE\($0)") ? "ZTOMBSTONE\($0)" : nil }
                let value = old.map { index < forms.count ? forms[index].sql($0) : $0 } ?? "NULL"
                return "ZTOMBSTONE\(index) = \(value)"
            }
            guard !sets.isEmpty else { continue }
            try connection.execute(
                "UPDATE ACHANGE SET \(sets.joined(separator: ", ")) WHERE ZENTITY = \(old.number) AND ZCHANGETYPE = 2"
            )
        }
    }

    /// What becomes of the mark before an attribute's bytes.
    private enum Form {
        case same, marked, unmarked

        func sql(_ column: String) -> String {
            switch self {
            case .same: column
            case .marked: ColumnValue.marked(column)
            // The file of a deleted object's value went with the object.
            case .unmarked:
                "CASE WHEN typeof(\(column)) <> 'blob' THEN \(column) "
                    + "WHEN substr(\(column), 1, 1) = x'01' THEN substr(\(column), 2) "
                    + "WHEN substr(\(column), 1, 1) = x'02' AND length(\(column)) = 38 THEN NULL ELSE \(column) END"
            }
        }
    }

    private func form(_ new: NSAttributeDescription?, _ match: EntityMatch?) -> Form {
        guard let new, let old = match?.properties[new.name] as? NSAttributeDescription else { return .same }
        let (isMarked, wasMarked) = (layouts.new.isMarked(new), layouts.old.isMarked(old))
        return isMarked == wasMarked ? .same : isMarked ? .marked : .unmarked
    }
}
