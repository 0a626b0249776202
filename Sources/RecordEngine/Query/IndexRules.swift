/// Which indexes production asks of a schema before a query is answered.
public enum IndexRules: String, Sendable, CaseIterable {
    /// Every record can be asked for by the fields that all have, and a range takes either index of a field.
    case open
    /// As CloudKit: system fields need indexes as others do, and ranges the index of an order. What passes here passes
    /// there.
    case apple
}

/// What a query does with a field.
enum FieldUse {
    /// Equality, membership, distance.
    case filter
    /// Less, greater, between, and the beginning of a text.
    case range
    case sort
}
