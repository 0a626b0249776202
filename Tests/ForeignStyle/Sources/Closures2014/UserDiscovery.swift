import CloudKit

/// Asking for the user's friends, the way of 2014; Apple deprecated it, apps still have it.
class UserDiscovery {
    let container: CKContainer
    private(set) var permission = CKContainer.ApplicationPermissionStatus.initialState

    init(container: CKContainer) {
        self.container = container
    }

    func ask(completion: @escaping (Bool, Error?) -> Void) {
        container.requestApplicationPermission(.userDiscoverability) { status, error in
            self.permission = status
            completion(status == .granted, error)
        }
    }

    func me(completion: @escaping (CKUserIdentity?, Error?) -> Void) {
        container.fetchUserRecordID { recordID, error in
            guard let recordID = recordID else {
                completion(nil, error)
                return
            }
            self.container.discoverUserIdentity(withUserRecordID: recordID, completionHandler: completion)
        }
    }

    func name(of identity: CKUserIdentity) -> String {
        let parts = [identity.nameComponents?.givenName, identity.nameComponents?.familyName].compactMap {
            $0
        }
        return parts.isEmpty ? identity.lookupInfo?.emailAddress ?? "?" : parts.joined(separator: " ")
    }
}
