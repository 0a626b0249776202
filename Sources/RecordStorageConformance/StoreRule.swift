public import TestSeeds
public import Testing

/// One promise of a store, and the check that an engine keeps it.
///
/// `RecordStorage` says what a store promises; these rules say it in a form that runs. An engine is checked by a test of
/// its own, which runs all of them:
///
/// ```swift
/// import MyEngine
/// import RecordStorageConformance
/// import Testing
///
/// @Suite struct MyEngineTests {
///     static let engine = EngineUnderTest("mine") { place in try MyStore(directory: place.path) }
///
///     @Test(arguments: StoreRule.all(for: engine))
///     func `My engine keeps what a store promises`(_ rule: StoreRule) async throws {
///         try await rule.check(Self.engine)
///     }
/// }
/// ```
///
/// What is broken is recorded as an issue of the running test, by name of the rule and, where a rule is random, with the seed
/// that repeats it (`STRATUS_SEED`).
public struct StoreRule: Sendable, CustomTestStringConvertible {
    /// What is promised, in a sentence.
    public let name: String
    /// Where the random choices of the rule begin; nil where it makes none.
    public let seed: Seed?
    /// Whether it is about what is there after closing and opening again.
    public let isForDurable: Bool
    private let others: [Seed]
    private let body: @Sendable (EngineUnderTest, Seed) async throws -> Void

    init(
        _ name: String, isForDurable: Bool = false,
        _ body: @escaping @Sendable (_ engine: EngineUnderTest) async throws -> Void
    ) {
        self.name = name
        self.isForDurable = isForDurable
        seed = nil
        others = []
        self.body = { engine, _ in try await body(engine) }
    }

    /// A rule that runs once for each seed.
    init(
        _ name: String, seeds: [Seed],
        _ body: @escaping @Sendable (_ engine: EngineUnderTest, _ seed: Seed) async throws -> Void
    ) {
        self.init(name, isForDurable: false, seed: seeds.first, others: Array(seeds.dropFirst()), body)
    }

    private init(
        _ name: String, isForDurable: Bool, seed: Seed?, others: [Seed],
        _ body: @escaping @Sendable (EngineUnderTest, Seed) async throws -> Void
    ) {
        self.name = name
        self.isForDurable = isForDurable
        self.seed = seed
        self.others = others
        self.body = body
    }

    public var testDescription: String { seed.map { "\(name) \($0.testDescription)" } ?? name }

    /// Every rule, those with seeds once for each.
    public static let all: [StoreRule] =
        (TransactionRules.all + LifecycleRules.all + SchemaRules.all + SchemaRemovalRules.all + FeedRules.all
        + ScanRules.all + ChangeLogRules.all + KeptOutcomeRules.all + AccountRules.all + DatabaseKeyRules.all
        + OperatorRules.all + ZoneNumberRules.all
        + HistoryRules.all + ListAppendRules.all).flatMap(\.oneForEachSeed)

    /// The rules that an engine has to keep: one without a disk is not asked what is there after opening again.
    public static func all(for engine: EngineUnderTest) -> [StoreRule] {
        all.filter { engine.isDurable || !$0.isForDurable }
    }

    private var oneForEachSeed: [StoreRule] {
        let seeds = [seed].compactMap(\.self) + others
        guard !seeds.isEmpty else { return [self] }
        return seeds.map { StoreRule(name, isForDurable: isForDurable, seed: $0, others: [], body) }
    }

    /// Checks an engine: makes stores of its own, works with them, and closes them.
    ///
    /// - Throws: what stops the check before its end, such as a `StorageError` where none is allowed. A promise that does not
    ///   hold is recorded as an issue of the running test.
    public func check(_ engine: EngineUnderTest) async throws {
        try await body(engine, seed ?? .one)
    }
}
