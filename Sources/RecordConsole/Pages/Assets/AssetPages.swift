import RecordEngine
import RecordModel
import RecordServer
import RecordStorage

/// The files of a container: how much room they take, and which records they belong to.
enum AssetPages {
    static let routes: [Route] = [.get("/c/:container/:environment/assets", list)]

    private static let pageLength = 50
    /// The uses of one file that the list names.
    private static let usesShown = 3

    @Sendable private static func list(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let after = context.query["after"].flatMap { AssetDigest(hex: $0) }
        let (usage, files) = try await context.read { reader in
            let rows = try reader.assets(of: tenant, after: after, limit: pageLength + 1)
            let files = try rows.map { row in
                (row, try reader.assetUses(of: row.content.digest, in: tenant, limit: usesShown))
            }
            return (try reader.assetUsage(of: tenant), files)
        }
        let page = files.prefix(pageLength)
        let next = files.count > pageLength ? page.last?.0.content.digest.hex : nil
        let types = usage.types.map {
            AssetsPage.RecordType(
                name: $0.recordType, encoded: FormValues.encoded($0.recordType), files: $0.files,
                size: NumberText.bytes($0.bytes))
        }
        return context.page(
            AssetsPage(
                files: page.map { model(of: $0.0, uses: $0.1, tenant, context) }, isEmpty: page.isEmpty,
                count: usage.files, size: NumberText.bytes(usage.bytes), types: types,
                hasTypes: !types.isEmpty, isLater: after != nil, next: next,
                graceHours: Limits.assetGraceSeconds / 3_600),
            title: "Assets", section: .assets)
    }

    private static func model(
        of row: AssetRow, uses: [AssetUse], _ tenant: Tenant, _ context: ConsoleContext
    ) -> AssetsPage.File {
        let digest = row.content.digest
        // A picture of a private database is shown where that database is looked at, which the audit log notes.
        let isPublic = uses.first?.owner == nil
        return AssetsPage.File(
            name: String(digest.hex.prefix(12)), size: NumberText.bytes(row.content.size),
            made: TimeModel(row.createdAt),
            address: isPublic
                ? FilePages.address(context.console.service.assetAddress(digest)) + "file" : nil,
            more: row.uses > uses.count ? row.uses - uses.count : nil,
            records: uses.map { use in
                var query = "zone=\(FormValues.encoded(use.zoneName))"
                if let owner = use.owner { query += "&db=\(FormValues.encoded(owner))" }
                let path = RecordsAddress.recordPath(use.recordName, below: "/records/", "?" + query)
                return AssetsPage.Use(
                    name: use.recordName, field: use.field, isPrivate: use.owner != nil,
                    href: "/console" + ConsoleContext.path(tenant, path))
            })
    }
}
