internal import Foundation
internal import Predicates
internal import RecordModel
internal import RecordWire

/// FairQueue a query into what the wire can say (Documentation/Protocol.md, 'Predicates').
///
/// What filters can say becomes filters, which every CloudKit service understands. The rest (OR, NOT of a
/// compound, CONTAINS on strings, LIKE, …) becomes predicate text, an extension of our service.
struct QueryTranslation: Sendable {
    /// Whether what Apple's service refuses is refused here.
    var isStrict: Bool
    /// The time that `now()` stands for.
    var now = Date()

    /// Translates a query.
    ///
    /// - Throws: `CKError.invalidArguments` with a sentence for what no service can answer, `limitExceeded` where the
    ///   text of its predicate is longer than `Limits.predicateBytes`.
    func translate(_ query: CKQuery) throws(CKError) -> QueryDictionary {
        guard let tree = query.predicate.tree else {
            throw CKError(
                .invalidArguments, "A predicate made of a block cannot be sent to the service.",
                remedy: "Use NSPredicate(format:), NSPredicate(value:) or a compound of them.")
        }
        var result = QueryDictionary(recordType: query.recordType)
        let parts = try ConditionReader(now: now).read(tree).conjuncts
        try fill(&result, parts)
        for descriptor in query.sortDescriptors ?? [] { result.sortBy.append(try translate(descriptor)) }
        return result
    }

    private func fill(_ query: inout QueryDictionary, _ parts: [QueryCondition]) throws(CKError) {
        var words: [String] = []
        var rest: [QueryCondition] = []
        for part in parts {
            if let text = part.searchedText {
                words.append(text)
            } else if let filters = FilterWriter(isStrict: isStrict).filters(part) {
                query.filterBy += filters
            } else {
                rest.append(part)
            }
        }
        query.filterBy += Self.tokenFilters(words)
        guard !rest.isEmpty else { return }
        let text = (rest.count == 1 ? rest[0].tree : .and(rest.map(\.tree))).description
        if isStrict, !rest.contains(where: \.isConstant) {
            throw CKError(
                .invalidArguments, "Apple's service has no filter for '\(text)'.",
                remedy: "Leave out refusesWhatAppleRefuses to send it to a Stratus service.")
        }
        guard text.utf8.count <= Limits.predicateBytes else {
            throw CKError(
                .limitExceeded, "The predicate's text is longer than \(Limits.predicateBytes) bytes.",
                remedy: "Split the query.")
        }
        query.predicate = text
    }

    /// One word each means that all have to be found; a text of several means any of them.
    private static func tokenFilters(_ texts: [String]) -> [FilterDictionary] {
        let isAllSingle = texts.allSatisfy { $0.split(whereSeparator: \.isWhitespace).count == 1 }
        if texts.count > 1, isAllSingle {
            let text = texts.joined(separator: " ")
            return [FilterDictionary(.containsAllTokens, .allText, WireField(.string(text)))]
        }
        return texts.map { FilterDictionary(.containsAnyTokens, .allText, WireField(.string($0))) }
    }

    private func translate(_ descriptor: NSSortDescriptor) throws(CKError) -> SortDictionary {
        if let descriptor = descriptor as? CKLocationSortDescriptor {
            return SortDictionary(
                try FieldSelector(key: descriptor.locationKey),
                relativeLocation: descriptor.relativeLocation.wire)
        }
        guard let key = descriptor.key else {
            throw CKError(
                .invalidArguments, "A sort descriptor without a key cannot be sent to the service.",
                remedy: "Use NSSortDescriptor(key:ascending:).")
        }
        return SortDictionary(try FieldSelector(key: key), ascending: descriptor.ascending)
    }
}

extension QueryCondition {
    /// The text of `self CONTAINS 'text'`.
    fileprivate var searchedText: String? {
        guard case .comparison(let comparison) = self, case .allText = comparison.subject,
            comparison.modifier == .direct, case .string(let text)? = comparison.value
        else { return nil }
        return text
    }

    fileprivate var isConstant: Bool {
        if case .constant = self { true } else { false }
    }
}

extension FieldSelector {
    private static let nativeNames: [String: SystemField] = [
        "recordID": .recordName, "recordID.recordName": .recordName, "creationDate": .createdTimestamp,
        "modificationDate": .modifiedTimestamp, "creatorUserRecordID": .createdUserRecordName,
        "lastModifiedUserRecordID": .modifiedUserRecordName, "parent": .parent, "share": .share,
    ]

    /// The field of a key as predicates and sort descriptors write it.
    ///
    /// - Throws: `CKError.invalidArguments` for a path into another record.
    init(key: String) throws(CKError) {
        if let field = Self.nativeNames[key] ?? (key.hasPrefix("___") ? SystemField(spelling: key) : nil) {
            self = .system(field)
            return
        }
        let isOfShare = (try? Names.checkField(key, ofType: CKRecordTypeShare)) != nil
        guard isOfShare || !key.contains("."), !key.contains("@"), !key.isEmpty else {
            throw CKError(
                .invalidArguments, "The key '\(key)' is not a field of the record that a query looks at.",
                remedy: "Keep the value in a field of the record itself.")
        }
        self = .field(key)
    }

    /// Whether the field's values name records.
    var namesRecord: Bool {
        switch self {
        case .system(.createdTimestamp), .system(.modifiedTimestamp), .field, .allText: false
        case .system: true
        }
    }
}
