import CloudKit

/// Records as values, with errors of the app's own.
struct Note: Identifiable, Hashable, Sendable {
    let id: String
    var text: String
}

enum StoreFailure: Error, Equatable {
    case signedOut, gone, conflict, other(Int)

    init(_ error: any Error) {
        guard let error = error as? CKError else {
            self = .other((error as NSError).code)
            return
        }
        self =
            switch error.code {
            case .notAuthenticated: .signedOut
            case .unknownItem: .gone
            case .serverRecordChanged: .conflict
            default: .other(error.errorCode)
            }
    }
}

struct TypedStore: Sendable {
    let database: CKDatabase

    func save(_ note: Note) async throws(StoreFailure) {
        let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: note.id))
        record["text"] = note.text
        do {
            try await database.save(record)
        } catch {
            throw StoreFailure(error)
        }
    }

    func note(_ id: String) async throws(StoreFailure) -> Note {
        do {
            let record = try await database.record(for: CKRecord.ID(recordName: id))
            return Note(id: id, text: record["text"] ?? "")
        } catch {
            throw StoreFailure(error)
        }
    }
}
