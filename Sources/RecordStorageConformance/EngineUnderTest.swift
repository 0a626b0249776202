public import RecordStorage
public import TestSeeds
public import Testing

/// An engine that ``StoreRule`` checks: how a store of it is opened.
public struct EngineUnderTest: Sendable, CustomTestStringConvertible {
    /// What the engine is called in what a test prints.
    public let name: String
    /// Whether what was stored is there after closing and opening again.
    public let isDurable: Bool
    /// Whether several stores may be open on one place at once, as those of nodes are.
    public let isShared: Bool
    private let opening: @Sendable (TemporaryDirectory) async throws -> any RecordStore

    /// Makes an engine.
    ///
    /// - Parameters:
    ///   - name: what it is called.
    ///   - isDurable: whether what was stored is there after closing and opening again.
    ///   - isShared: whether several stores may be open on one place at once.
    ///   - open: opens the store of a place, empty where the place was never opened. A place is an empty folder; an engine that
    ///     keeps its records elsewhere takes the path for a name.
    public init(
        _ name: String, isDurable: Bool = true, isShared: Bool = false,
        open: @escaping @Sendable (_ place: TemporaryDirectory) async throws -> any RecordStore
    ) {
        self.name = name
        self.isDurable = isDurable
        self.isShared = isShared
        opening = open
    }

    public var testDescription: String { name }

    func open(_ place: TemporaryDirectory) async throws -> any RecordStore { try await opening(place) }

    /// Runs a check with a store of its own and closes it afterwards.
    func run(_ body: (any RecordStore) async throws -> Void) async throws {
        try await run(nodes: 1) { try await body($0[0]) }
    }

    /// Runs a check with several stores on one place, or with one where the engine allows no more.
    func run(nodes count: Int, _ body: ([any RecordStore]) async throws -> Void) async throws {
        let place = try TemporaryDirectory()
        var stores: [any RecordStore] = []
        do {
            for _ in 0..<(isShared ? count : 1) { stores.append(try await open(place)) }
            try await body(stores)
        } catch {
            for store in stores { await store.close() }
            throw error
        }
        for store in stores { await store.close() }
    }
}
