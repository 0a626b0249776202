internal import SQLiteAccess
internal import StratusCoreData

/// How far a store knows what others committed.
struct RemoteState {
    /// SQLite's count of the commits of other connections.
    var version: Int64
    /// The last transaction of the history that contexts have merged, or that was made here.
    var number: Int64
}

extension SQLiteObjectStore {
    /// Whether the options ask for notifications of others, and the history says what they did.
    private var followsOthers: Bool {
        let asked = options?[NSPersistentStoreRemoteChangeNotificationPostOptionKey] as? NSNumber
        return asked?.boolValue == true && open?.settings.tracksHistory == true
    }

    /// Starts to follow what others commit, where the options ask for it.
    ///
    /// - Parameter polls: look each second, without the system's help.
    func followOthers(polls: Bool = false) {
        // Nobody else has a store in memory, and nobody changes one that is opened as immutable.
        guard followsOthers, !isInMemory, let open, let path = open.path, !path.hasPrefix("file:") else {
            return
        }
        do {
            open.remote = RemoteState(
                version: try open.dataVersion(), number: try currentTransactionNumber() ?? 0)
        } catch {
            return CoreDataLog.report("The changes of others to \(path) are not followed: \(error)")
        }
        open.history?.notesOwnNumbers = true
        open.monitor = RemoteChangeMonitor(path: path, polls: polls) { [weak self] in self?.lookForOthers() }
    }

    /// Checks whether others have committed, and announces it.
    private func lookForOthers() {
        guard let coordinator = persistentStoreCoordinator else { return }
        do {
            guard let changes = try coordinator.withLock({ try takeChangesOfOthers() }) else { return }
            coordinator.announceRemote(changes, in: self)
        } catch {
            // The next look finds them, if there is a next one that can read.
            CoreDataLog.report("The changes of others to \(url?.path ?? "a store") cannot be read: \(error)")
        }
    }

    /// What others committed since the last look, as one change; nil where they did not. Under the coordinator's lock.
    private func takeChangesOfOthers() throws -> NSManagedObjectContext.RemoteChanges? {
        guard let open, var state = open.remote else { return nil }
        let version = try open.dataVersion()
        let own = open.history?.ownNumbers ?? []
        guard version != state.version else {
            // All that was committed since was committed here.
            state.number = max(state.number, own.max() ?? 0)
            open.history?.ownNumbers = []
            open.remote = state
            return nil
        }
        guard let reader = try HistoryReader(open, storeIdentifier: identifier) else { return nil }
        let first = state.number + 1
        let last = try reader.lastNumber()
        let transactions = try reader.transactions(
            "t.Z_PK >= \(bind: .int(first)) AND t.Z_PK <= \(bind: .int(last))", withChanges: true)
        open.history?.ownNumbers = []
        open.remote = RemoteState(version: version, number: last)
        // Others commit without history too: keys for new objects, before the save that uses them.
        guard first <= last else { return nil }
        let kept = Set(transactions.map(\.transactionNumber)).union(own)
        let isWhole = (first...last).allSatisfy(kept.contains)
        if !isWhole {
            CoreDataLog.report(
                "Others changed \(url?.path ?? "a store") and deleted the history of it before it was read: "
                    + "contexts cannot take over such changes. Fetch again.")
        }
        let isOthers = { (transaction: NSPersistentHistoryTransaction) in
            !own.contains(transaction.transactionNumber)
        }
        guard !isWhole || transactions.contains(where: isOthers) else { return nil }
        return .init(netOf: transactions, about: isOthers)
    }
}

extension NSManagedObjectContext.RemoteChanges {
    /// What transactions, oldest first, come to for the objects that some of them are about: each object once.
    ///
    /// The rest counts too, since an object that others deleted may have been saved here afterwards.
    init(
        netOf transactions: [NSPersistentHistoryTransaction],
        about isMeant: (NSPersistentHistoryTransaction) -> Bool
    ) {
        var kinds: [NSManagedObjectID: NSPersistentHistoryChangeType] = [:]
        var meant: Set<NSManagedObjectID> = []
        var objectIDs: [NSManagedObjectID] = []
        for transaction in transactions {
            let isMeant = isMeant(transaction)
            for change in transaction.changes ?? [] {
                let objectID = change.changedObjectID
                if isMeant, meant.insert(objectID).inserted { objectIDs.append(objectID) }
                // A new object that was changed is new; one that was deleted may have been fetched before that.
                if kinds[objectID] != .insert || change.changeType != .update {
                    kinds[objectID] = change.changeType
                }
            }
        }
        self.init(
            inserted: objectIDs.filter { kinds[$0] == .insert },
            updated: objectIDs.filter { kinds[$0] == .update },
            deleted: objectIDs.filter { kinds[$0] == .delete })
    }
}

extension OpenStore {
    /// SQLite's number for what other connections committed: another one after each commit of theirs.
    func dataVersion() throws -> Int64 {
        let statement = try connection.statement("PRAGMA data_version")
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }
}
