/// Every limit of the service; `/limits` publishes them, tests stand at their edges.
///
/// The values are CloudKit's where it documents one (cloudkit.md section 4), ours otherwise.
public enum Limits {
    /// The most operations in one `records/modify`.
    public static let operationsPerRequest = 200
    /// The most records in one answer, and the number when the request names none.
    public static let recordsPerAnswer = 200
    /// The most items in one `records/lookup`, `zones/lookup`, `zones/modify` or `changes/zone`.
    public static let itemsPerRequest = 200
    /// The largest record in bytes of JSON, without assets.
    public static let recordBytes = 1_048_576
    /// The longest record name, zone name, type name and field name in bytes.
    public static let nameLength = 255
    /// The most references with DELETE_SELF to one record.
    public static let deleteSelfReferencesPerTarget = 750
    /// The largest request body in bytes.
    public static let requestBodyBytes = 16_777_216
    /// The largest head of a request: its line and its headers, in bytes.
    public static let requestHeadBytes = 16_384
    /// The most fields of a record type: a location has two columns, and SQLite's tables have 2,000.
    public static let fieldsPerType = 900
    /// The most record types of a container in one environment.
    public static let typesPerTenant = 1_000
    /// The most custom zones of a database.
    public static let zonesPerDatabase = 10_000
    /// The most elements of a list field.
    public static let listElements = 10_000
    /// The most filters of a query.
    public static let filtersPerQuery = 50
    /// The most sort keys of a query.
    public static let sortsPerQuery = 8
    /// The most values of an IN filter.
    public static let valuesPerFilter = 500
    /// The longest predicate text of a query in bytes.
    public static let predicateBytes = 16_384
    /// The most comparisons in a query's predicate.
    public static let predicateComparisons = 300
    /// The deepest nesting of AND, OR and NOT in a query's predicate: SQLite's parser follows no more.
    public static let predicateDepth = 20
    /// The longest text that CONTAINS and LIKE look for, in bytes: their time is its length times the text's.
    public static let patternBytes = 1_024
    /// The longest continuation marker or sync token that is looked at, in bytes: a marker holds the sort keys
    /// of a row, which may be as long as a record.
    public static let tokenBytes = 2_097_152
    /// The deepest nesting of a request's JSON.
    public static let jsonDepth = 32
    /// The longest that a client may take to send its request, in seconds.
    public static let requestReadSeconds = 30
    /// The longest that a connection may stay idle, in seconds.
    public static let idleConnectionSeconds = 75
    /// The longest that one query may run in the database, in seconds.
    public static let querySeconds = 10
    /// The most connections that are served at once.
    public static let connections = 10_000
    /// The most requests to write that wait for the disk at once; one more is told to try again.
    public static let waitingWrites = 4_096
    /// The most indexes that the service makes by itself for the query shapes of one type.
    public static let automaticIndexesPerType = 8
    /// The number of rows from which a query's shape is worth an index.
    public static let automaticIndexRows = 500
    /// The largest file of an asset in bytes.
    public static let assetBytes = 52_428_800
    /// The most upload addresses that one `assets/upload` gives.
    public static let uploadTokensPerRequest = 200
    /// How long an upload address is good, in seconds.
    public static let uploadTokenSeconds = 900
    /// The longest that a client may pause while it sends or takes a file, in seconds.
    public static let assetStallSeconds = 30
    /// The longest that one upload may take in all, in seconds.
    public static let uploadSeconds = 3_600
    /// How long the receipt of an upload is good for saving a record with it, in seconds.
    public static let receiptSeconds = 86_400
    /// How long the address of a file in a private database is good, in seconds; at least three quarters of it
    /// are left when an answer carries it.
    public static let downloadSeconds = 3_600
    /// How long a file is kept that no record refers to, in seconds: longer than a receipt is good.
    public static let assetGraceSeconds = 172_800
    /// The most files that the fields of one record hold.
    public static let assetsPerRecord = 1_000

    /// The limits by name, as `/limits` publishes them.
    public static let published: [(name: String, value: Int)] = [
        ("operationsPerRequest", operationsPerRequest),
        ("recordsPerAnswer", recordsPerAnswer),
        ("itemsPerRequest", itemsPerRequest),
        ("recordBytes", recordBytes),
        ("nameLength", nameLength),
        ("deleteSelfReferencesPerTarget", deleteSelfReferencesPerTarget),
        ("requestBodyBytes", requestBodyBytes),
        ("requestHeadBytes", requestHeadBytes),
        ("fieldsPerType", fieldsPerType),
        ("typesPerTenant", typesPerTenant),
        ("zonesPerDatabase", zonesPerDatabase),
        ("listElements", listElements),
        ("filtersPerQuery", filtersPerQuery),
        ("sortsPerQuery", sortsPerQuery),
        ("valuesPerFilter", valuesPerFilter),
        ("predicateBytes", predicateBytes),
        ("predicateComparisons", predicateComparisons),
        ("predicateDepth", predicateDepth),
        ("patternBytes", patternBytes),
        ("tokenBytes", tokenBytes),
        ("jsonDepth", jsonDepth),
        ("requestReadSeconds", requestReadSeconds),
        ("idleConnectionSeconds", idleConnectionSeconds),
        ("querySeconds", querySeconds),
        ("connections", connections),
        ("waitingWrites", waitingWrites),
        ("automaticIndexesPerType", automaticIndexesPerType),
        ("automaticIndexRows", automaticIndexRows),
        ("assetBytes", assetBytes),
        ("uploadTokensPerRequest", uploadTokensPerRequest),
        ("uploadTokenSeconds", uploadTokenSeconds),
        ("assetStallSeconds", assetStallSeconds),
        ("uploadSeconds", uploadSeconds),
        ("receiptSeconds", receiptSeconds),
        ("downloadSeconds", downloadSeconds),
        ("assetGraceSeconds", assetGraceSeconds),
        ("assetsPerRecord", assetsPerRecord),
    ]
}
