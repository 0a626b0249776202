import CloudKit

/// Names for the list of people of a share.
extension CKShare.Participant {
    var title: String {
        if let name = userIdentity.nameComponents?.givenName { return name }
        return userIdentity.lookupInfo?.emailAddress ?? userIdentity.lookupInfo?.phoneNumber ?? "somebody"
    }

    var isWaiting: Bool { acceptanceStatus == .pending || acceptanceStatus == .unknown }
}
