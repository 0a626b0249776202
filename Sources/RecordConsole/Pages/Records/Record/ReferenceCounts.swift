import RecordModel
import RecordStorage

/// Which records point at one by references that matter when it is deleted.
struct ReferenceCounts {
    /// How many are deleted with it, at least.
    var deletedWithIt = 0
    /// How many forbid that it is deleted.
    var forbidding = 0
    private(set) var examples: [String] = []

    /// - Throws: ``StorageError``.
    init(to name: String, _ scope: RecordsScope) async throws {
        let id = DatabaseID(tenant: scope.tenant, owner: scope.address.owner)
        let zone = scope.address.zone
        self = try await scope.context.read { reader in
            var counts = ReferenceCounts()
            guard let database = try reader.database(id),
                let zone = try reader.zone(named: zone, in: database)
            else { return counts }
            counts.deletedWithIt = try reader.referenceCount(
                to: name, in: zone.id, action: .deleteSelf, besides: name)
            counts.forbidding = try reader.referenceCount(
                to: name, in: zone.id, action: .validate, besides: name)
            counts.examples = try reader.referrers(to: name, in: zone.id, limit: 5).map(\.name)
            return counts
        }
    }

    private init() {}

    /// What a page shows.
    func model(_ scope: RecordsScope) -> ReferencesModel {
        ReferencesModel(
            isFree: deletedWithIt == 0 && forbidding == 0,
            examples: examples.map { .init(name: $0, href: scope.href(scope.address.recordPath($0))) },
            deletedWithIt: deletedWithIt > 0 ? deletedWithIt : nil,
            forbidding: forbidding > 0 ? forbidding : nil)
    }
}
