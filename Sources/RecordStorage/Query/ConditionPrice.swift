import RecordModel

/// What a condition costs of one record, as far as it is known before there is one.
public struct ConditionPrice: Hashable, Sendable {
    /// How many of its comparisons go through a whole text or list: CONTAINS and LIKE, two texts with each other, and ANY and ALL
    /// with anything but equality. A LIKE with `?` counts one besides for each 64 characters of its pattern.
    public let scans: Int
    /// How often it goes through a text or list in all, with what is done once for all of its comparisons: folding and cutting into
    /// words, which take as long as some scans, and reading a list. 0 where it looks at nothing that may be long.
    public let passes: Int

    /// What folding a text, and cutting it into words, takes, in scans.
    private static let folding = 4
    private static let cutting = 8

    /// Looks at a condition.
    public init(_ condition: Condition) {
        var count = Count()
        count.add(condition)
        scans = count.scans
        passes =
            scans + count.folded.count * Self.folding + count.cut.count * Self.cutting + count.lists.count
    }

    private struct Count {
        var scans = 0
        var folded: Set<[AnyHashable]> = []
        var cut: Set<Column> = []
        var lists: Set<Column> = []

        mutating func add(_ condition: Condition) {
            switch condition {
            case .constant, .compare, .among, .prefix, .near: break
            case .and(let parts), .or(let parts): for part in parts { add(part) }
            case .not(let part): add(part)
            case .compareColumns: scans += 1
            case .text(let column, let match): add(match, column)
            case .anyElement(let column, let test):
                lists.insert(column)
                switch test {
                case .compare(.equal, _), .among: break
                case .compare: scans += 1
                case .text(let match):
                    scans += 1
                    add(match, column)
                }
            case .allValues(let column, _), .elementCount(let column, _, _): lists.insert(column)
            case .tokens(let columns, _, _): cut.formUnion(columns)
            }
        }

        private mutating func add(_ match: TextMatch, _ column: Column) {
            folded.insert([column, match.ignoresCase, match.ignoresDiacritics])
            switch match.kind {
            case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith, .endsWith:
                break
            case .contains: scans += 1
            case .like:
                scans +=
                    1 + (match.pattern.utf8.contains(UInt8(ascii: "?")) ? match.pattern.utf8.count / 64 : 0)
            }
        }
    }
}
