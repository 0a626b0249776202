import RecordModel
import RecordStorage
import RecordWire

extension RecordService {
    /// `storage/usage`: how much the caller's private database holds, and how much it may.
    ///
    /// - Throws: `ACCESS_DENIED` for the public database, whose usage is the operators' to see.
    func usage(_ context: CallContext) async throws -> ServiceOutput {
        guard context.scope != .shared else {
            throw ServiceError.notInShared(
                "What is shared takes the room of its owner.", remedy: "Ask for the private database.")
        }
        var quota = quotas.perUser
        if context.database.owner == nil {
            guard case .administrator = context.caller else {
                throw ServiceError(
                    .accessDenied, "How much a public database holds is for operators to see.",
                    remedy: "Ask for the private database, or use 'stratus usage' on the server.")
            }
            quota = nil
        }
        let (usage, isCounted) = try await store(for: context).read(.short) { store in
            let number = try store.database(context.database)
            return (try number.map { try store.usage(of: $0) } ?? StorageUsage(), try store.isUsageCounted)
        }
        return ServiceOutput { writer in
            writer.beginObject()
            writer.member("records", Int(usage.records))
            writer.member("recordBytes", Int(usage.recordBytes))
            writer.member("assetBytes", Int(usage.assetBytes))
            writer.member("bytes", Int(usage.bytes))
            if let quota { writer.member("quotaBytes", Int(quota)) }
            if !isCounted { writer.member("isCounting", true) }
            writer.endObject()
        }
    }
}
