extension ModifyPlan {
    /// What is saved together, and where: a share and its root record need each other.
    struct Context {
        let scope: CKDatabase.Scope
        let savedIDs: Set<CKRecord.ID>
        /// The root records of the new shares.
        let rootIDs: Set<CKRecord.ID>

        init(_ saves: [Save], _ scope: CKDatabase.Scope) {
            self.scope = scope
            savedIDs = Set(saves.map(\.record.recordID))
            rootIDs = Set(saves.compactMap { $0.share?.newRootID })
        }
    }

    /// Entries with each new share right behind its root record, and these pairs before all others: requests of an even
    /// size hold both.
    static func pairsFirst(_ entries: [Entry]) -> [Entry] {
        var sharesByRoot: [CKRecord.ID: Entry] = [:]
        for entry in entries { if let root = entry.rootID { sharesByRoot[root] = entry } }
        guard !sharesByRoot.isEmpty else { return entries }
        var pairs: [Entry] = []
        var paired: Set<CKRecord.ID> = []
        for entry in entries {
            let recordID = entry.item.recordID
            guard let share = sharesByRoot[recordID] else { continue }
            pairs += [entry, share]
            paired.formUnion([recordID, share.item.recordID])
        }
        return pairs + entries.filter { !paired.contains($0.item.recordID) }
    }

    /// Where entries that are too many bytes for one request are cut; 0 where they cannot be.
    static func middle(of entries: [Entry]) -> Int {
        let middle = entries.count / 2
        guard middle > 0, let root = entries[middle].rootID, entries[middle - 1].item.recordID == root
        else { return middle }
        // Between a root record and its share is no place to cut.
        return middle > 1 ? middle - 1 : middle + 1 < entries.count ? middle + 1 : 0
    }
}
