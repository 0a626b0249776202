internal import Predicates
internal import RecordModel
internal import RecordWire

/// A predicate that the service can answer, with its keys and values as the wire knows them.
///
/// The wire's filters and its predicate text are both written from this form, so they cannot disagree.
indirect enum QueryCondition: Sendable {
    case constant(Bool)
    case comparison(Comparison)
    case and([QueryCondition])
    case or([QueryCondition])
    case not(QueryCondition)

    /// A field, or what is computed from one, and a value.
    struct Comparison: Sendable {
        var modifier: PredicateModifier
        var subject: Subject
        var `operator`: PredicateOperator
        /// The value; nil for nothing.
        var value: FieldValue?
        var options: PredicateOptions
    }

    /// What a comparison looks at.
    enum Subject: Sendable {
        /// A field.
        case field(FieldSelector)
        /// The words of all searchable fields; the value's words are looked for.
        case allText
        /// The distance of a field's place from another place, in metres.
        case distance(FieldSelector, Location)
    }
}

extension QueryCondition {
    /// The parts that all have to hold, without the ones that always do.
    var conjuncts: [QueryCondition] {
        switch self {
        case .constant(true): []
        case .and(let parts): parts.flatMap(\.conjuncts)
        default: [self]
        }
    }

    /// The condition in the format language, with its values written out (``QueryDictionary/predicate``).
    ///
    /// System fields are named as in a schema, references by their record names, places as `{lat, lon}`.
    var tree: PredicateTree {
        switch self {
        case .constant(let value): .constant(value)
        case .and(let parts): .and(parts.map(\.tree))
        case .or(let parts): .or(parts.map(\.tree))
        case .not(let part): .not(part.tree)
        case .comparison(let comparison): comparison.tree
        }
    }
}

extension QueryCondition.Comparison {
    fileprivate var tree: PredicateTree {
        let value = ExpressionTree.constant(value?.predicateValue ?? .null)
        switch subject {
        case .field(let selector):
            return .compare(
                .keyPath([selector.schemaName]), `operator`, value, modifier: modifier, options: options)
        case .distance(let selector, let place):
            let distance = ExpressionTree.function(
                "distanceToLocation:fromLocation:",
                [.keyPath([selector.schemaName]), .constant(FieldValue.location(place).predicateValue)])
            return .compare(distance, `operator`, value, options: options)
        case .allText where modifier == .direct:
            return .compare(.selfObject, .contains, value)
        case .allText:
            let tokens = ExpressionTree.function("tokenize:using:", [value, .constant(.string("Cdl"))])
            return .compare(tokens, .in, .keyPath(["allTokens"]), modifier: modifier)
        }
    }
}

extension FieldSelector {
    /// The field's name in a schema, which no field of an app can have where it is a system field.
    fileprivate var schemaName: String {
        switch self {
        case .field(let name): name
        case .system(.recordName): CKRecord.SystemFieldKey.recordID
        case .system(.createdTimestamp): CKRecord.SystemFieldKey.creationDate
        case .system(.modifiedTimestamp): CKRecord.SystemFieldKey.modificationDate
        case .system(.createdUserRecordName): CKRecord.SystemFieldKey.creatorUserRecordID
        case .system(.modifiedUserRecordName): CKRecord.SystemFieldKey.lastModifiedUserRecordID
        case .system(.share): CKRecord.SystemFieldKey.share
        case .system(.parent): CKRecord.SystemFieldKey.parent
        case .allText: "SELF"
        }
    }
}
