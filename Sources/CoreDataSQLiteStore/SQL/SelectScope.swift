internal import SQLiteAccess
internal import StratusCoreData

/// One SELECT while it is made: where its rows come from, and which of them.
final class SelectScope {
    /// What follows `FROM`; empty where only joins to a row outside are needed.
    let source: String
    private(set) var joins = ""
    var conditions: [SQLPiece] = []

    init(source: String) { self.source = source }

    func join(_ text: String) {
        joins += " "
        joins += text
    }

    /// Everything from `FROM` on.
    var tail: SQLPiece {
        var text = SQLPiece(" FROM ")
        text.append(source.isEmpty ? "(SELECT 1)" : source)
        text.append(joins)
        let condition = SQLPiece.and(conditions)
        if !condition.isYes {
            text.append(" WHERE ")
            text.append(condition)
        }
        return text
    }
}

/// An object in a statement: the key of its row, and its table once a column of it is needed.
final class RowSource {
    let scope: SelectScope
    let entity: EntityTable
    /// The expression of its primary key: `t0.Z_PK` or `t0.ZOWNER`.
    let key: String
    /// Whether there may be no object.
    let isOptional: Bool
    private var alias: String?
    private var toOnes: [Int: RowSource] = [:]

    init(scope: SelectScope, entity: EntityTable, key: String, isOptional: Bool, alias: String? = nil) {
        self.scope = scope
        self.entity = entity
        self.key = key
        self.isOptional = isOptional
        self.alias = alias
    }

    /// A column of the row. Joins the table the first time; the join gives one row for each, and nulls where there is
    /// no object.
    func column(_ name: String, _ compiler: PredicateCompiler) -> String {
        if let alias { return "\(alias).\(name)" }
        let alias = compiler.newAlias()
        self.alias = alias
        scope.join("LEFT JOIN \(entity.table.sqlName) \(alias) ON \(alias).Z_PK = \(key)")
        return "\(alias).\(name)"
    }

    /// What a to-one relationship leads to; shared by all who ask.
    func toOne(_ slot: Int, _ columns: ToOneColumns, _ compiler: PredicateCompiler) throws -> RowSource {
        if let known = toOnes[slot] { return known }
        let relationship = entity.layout.relationshipDescriptions[slot]
        let destination = try compiler.destination(of: relationship)
        let row = RowSource(
            scope: scope, entity: destination, key: column(columns.key, compiler), isOptional: true)
        toOnes[slot] = row
        return row
    }

    var kind: SQLKind { .object(entity.layout.rootNumber) }
}

/// The elements of a collection: the rows of a SELECT, and what each of them gives.
struct RowCollection {
    let scope: SelectScope
    var element: Operand
    /// How many to-many relationships were gone through: in memory the collection is a list of lists from 2 on.
    var depth = 1
    /// Whether equal elements count once.
    var isDistinct = false
    /// The column with the places of the elements, while it is an ordered relationship and nothing else.
    var order: String?
    /// The object whose relationship it is.
    var owner: RowSource?
    /// What it was written as.
    var path: String
}

/// An expression as SQL knows it.
indirect enum Operand {
    case constant(PredicateValue)
    case scalar(Scalar)
    case object(RowSource)
    case list([Operand])
    case collection(RowCollection)
}

/// An SQL expression with one value.
struct Scalar {
    var text: SQLPiece
    var kind: SQLKind
    /// Whether it is the bare column of a table, which an index may be over.
    var isColumn = false
    /// What it was written as, for messages.
    var path = ""

    /// The expression with numbers of any type in one form: a decimal as text.
    var exact: Scalar {
        guard kind == .decimal else { return self }
        return Scalar(text: "stratus_value('noindex:', 'd', \(text))", kind: .exact, path: path)
    }
}
