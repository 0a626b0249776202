import CloudKit

/// The state of an engine on disk.
struct StateFile {
    let url: URL

    func write(_ state: CKSyncEngine.State.Serialization) throws {
        try JSONEncoder().encode(state).write(to: url)
    }

    func read() -> CKSyncEngine.State.Serialization? {
        guard let data = try? Data(contentsOf: url) else { return nil }
        return try? JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: data)
    }
}
