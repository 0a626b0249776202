internal import Foundation

extension CKShare.Terms {
    private enum Key {
        static let permission = "PublicPermission"
        static let participants = "Participants"
        static let currentUser = "CurrentUserParticipantID"
        static let url = "URL"
        static let oneTimeURLs = "OneTimeURLs"
        static let allowsRequests = "AllowsAccessRequests"
        static let root = "RootRecordID"
    }

    func encode(with coder: NSCoder) {
        coder.encode(Int64(publicPermission.rawValue), forKey: Key.permission)
        coder.encode(NSArray(array: participants), forKey: Key.participants)
        if let id = currentUserParticipantID { coder.encode(NSString(string: id), forKey: Key.currentUser) }
        if let url { coder.encode(NSString(string: url.absoluteString), forKey: Key.url) }
        if !oneTimeURLs.isEmpty, let json = try? JSONEncoder().encode(oneTimeURLs) {
            coder.encode(NSData(data: json), forKey: Key.oneTimeURLs)
        }
        coder.encode(Int64(allowsAccessRequests ? 1 : 0), forKey: Key.allowsRequests)
        if let rootRecordID { coder.encode(rootRecordID, forKey: Key.root) }
    }

    /// Nil for an archive that is not a share's.
    init?(coder: NSCoder) {
        guard coder.containsValue(forKey: Key.participants),
            let list = coder.decodeObject(
                of: [NSArray.self, CKShareParticipant.self], forKey: Key.participants) as? NSArray
        else { return nil }
        self.init(rootRecordID: coder.safeObject(of: CKRecordID.self, forKey: Key.root))
        participants = list.compactMap { $0 as? CKShareParticipant }
        guard participants.contains(where: { $0.role == .owner }) else { return nil }
        currentUserParticipantID = coder.safeText(forKey: Key.currentUser)
        publicPermission = coder.safeCase(forKey: Key.permission) ?? .unknown
        url = coder.safeText(forKey: Key.url).flatMap { URL(string: $0) }
        oneTimeURLs =
            coder.safeData(forKey: Key.oneTimeURLs).flatMap {
                try? JSONDecoder().decode([CKShare.Participant.ID: URL].self, from: $0)
            } ?? [:]
        allowsAccessRequests = coder.safeInt64(forKey: Key.allowsRequests) != 0
    }
}
