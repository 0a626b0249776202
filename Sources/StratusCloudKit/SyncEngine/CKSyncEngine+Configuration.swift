extension CKSyncEngine {
    /// What a sync engine works with.
    public struct Configuration: Sendable, CustomStringConvertible {
        /// The database: a private or the shared one.
        public var database: CKDatabase
        /// The state that the engine gave last; nil to begin from nothing.
        public var stateSerialization: State.Serialization?
        /// What the app does with news, and which records it sends. The engine holds it weakly.
        public var delegate: any CKSyncEngineDelegate
        /// Whether the engine fetches and sends by itself.
        ///
        /// It does not yet, and says so once in the log where this is true: call `fetchChanges` and `sendChanges`, at
        /// launch, after changes, and when ``CKDatabase/notifications()`` tells of one. Set false by an app that does.
        public var automaticallySync = true
        /// The subscription that an earlier implementation of syncing made; kept, but not used yet.
        public var subscriptionID: String?

        /// Creates a configuration.
        public init(
            database: CKDatabase, stateSerialization: State.Serialization?, delegate: any CKSyncEngineDelegate
        ) {
            self.database = database
            self.stateSerialization = stateSerialization
            self.delegate = delegate
        }

        /// The database, and whether there is a state.
        public var description: String {
            "\(database.databaseScope) database, \(stateSerialization == nil ? "no" : "with a") state"
        }
    }
}
