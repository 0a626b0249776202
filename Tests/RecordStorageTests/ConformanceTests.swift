import RecordStorageConformance
import TestSupport
import Testing

extension StoreEngine {
    /// The engine as the conformance suite sees it.
    var underTest: EngineUnderTest {
        EngineUnderTest(rawValue, isDurable: self != .memory, isShared: self == .postgres) { try open($0) }
    }
}

/// Every engine keeps what a store promises: the suite is a library, which engines of others run as well.
@Suite struct ConformanceTests {
    @Test(arguments: StoreRule.all(for: StoreEngine.memory.underTest))
    func `The engine in memory keeps what a store promises`(_ rule: StoreRule) async throws {
        try await rule.check(StoreEngine.memory.underTest)
    }

    @Test(arguments: StoreRule.all(for: StoreEngine.sqlite.underTest))
    func `The engine on SQLite keeps what a store promises`(_ rule: StoreRule) async throws {
        try await rule.check(StoreEngine.sqlite.underTest)
    }

    @Test(arguments: StoreRule.all(for: StoreEngine.postgres.underTest))
    func `The engine on PostgreSQL keeps what a store promises`(_ rule: StoreRule) async throws {
        try await rule.check(StoreEngine.postgres.underTest)
    }

    /// An engine that forgets what it acknowledged must not pass.
    @Test func `The suite finds an engine that loses a write`() async throws {
        let rule = try #require(StoreRule.all.first { $0.name.hasPrefix("What was acknowledged is seen") })
        await withKnownIssue {
            try await rule.check(EngineUnderTest("forgetful", isDurable: false) { _ in ForgetfulStore() })
        }
    }
}
