import CloudKit

/// The first thing an app asks.
enum AccountCheck {
    static func describe(_ status: CKAccountStatus) -> String {
        switch status {
        case .available: return "signed in"
        case .noAccount: return "signed out"
        case .restricted: return "restricted"
        case .couldNotDetermine: return "unknown"
        case .temporarilyUnavailable: return "later"
        @unknown default: return "new"
        }
    }

    static func run(_ container: CKContainer, completion: @escaping (String) -> Void) {
        container.accountStatus { status, error in
            if let error = error as? CKError, error.code == .networkUnavailable {
                completion("offline")
                return
            }
            completion(describe(status))
        }
    }
}
