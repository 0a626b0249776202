internal import Foundation
internal import RecordWire

extension CKShare.Terms {
    private enum Key {
        static let permission = "PublicPermission"
        static let participants = "Participants"
        static let currentUser = "CurrentUserParticipantID"
        static let url = "URL"
        static let oneTimeURLs = "OneTimeURLs"
        static let allowsRequests = "AllowsAccessRequests"
        static let root = "RootRecordID"
        static let rootTag = "RootRecordETag"
        static let requesters = "AccessRequesters"
        static let blocked = "BlockedIdentities"
        static let decisions = ["DeniedRequests", "BlockedRequests", "UnblockedRequests"]
        static let saved = "SavedSettings"
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
        if let rootChangeTag { coder.encode(NSString(string: rootChangeTag), forKey: Key.rootTag) }
        if !requesters.isEmpty { coder.encode(NSArray(array: requesters), forKey: Key.requesters) }
        if !blockedIdentities.isEmpty { coder.encode(NSArray(array: blockedIdentities), forKey: Key.blocked) }
        let decided = [decisions.denied, decisions.blocked, decisions.unblocked]
        for (key, names) in zip(Key.decisions, decided) where !names.isEmpty {
            coder.encode(texts: names, forKey: key)
        }
        if let saved { coder.encode(NSData(data: Data(saved.json)), forKey: Key.saved) }
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
        rootChangeTag = coder.safeText(forKey: Key.rootTag)
        requesters = coder.safeList(of: CKShareAccessRequester.self, forKey: Key.requesters)
        blockedIdentities = coder.safeList(of: CKShareBlockedIdentity.self, forKey: Key.blocked)
        let decided = Key.decisions.map { coder.safeTexts(forKey: $0) ?? [] }
        decisions = CKShare.Decisions(denied: decided[0], blocked: decided[1], unblocked: decided[2])
        saved = coder.safeData(forKey: Key.saved).flatMap { CKShare.Settings(json: Array($0)) }
    }
}

extension CKShare.Settings {
    /// The settings for an archive.
    fileprivate var json: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("publicPermission", publicPermission.rawValue)
            writer.member("allowsAccessRequests", allowsAccessRequests)
            writer.key("participants")
            writer.beginArray()
            for participant in participants { participant.write(to: &writer) }
            writer.endArray()
            writer.endObject()
        }
    }

    /// Reads what ``json`` gave; nil where it is something else.
    fileprivate init?(json: [UInt8]) {
        guard let object = try? JSONReader.read(json).object,
            let list = try? object.objects("participants").map(ParticipantDictionary.init(json:))
        else { return nil }
        participants = list
        publicPermission =
            object["publicPermission"]?.int.flatMap { CKShare.ParticipantPermission(rawValue: Int($0)) }
            ?? .unknown
        allowsAccessRequests = object["allowsAccessRequests"]?.bool ?? false
    }
}

extension NSCoder {
    /// The objects of a class under a key; empty where there are none.
    fileprivate func safeList<Object: NSObject & NSSecureCoding>(
        of type: Object.Type, forKey key: String
    ) -> [Object] {
        guard containsValue(forKey: key) else { return [] }
        let array = decodeObject(of: [NSArray.self, type], forKey: key) as? NSArray
        return array?.compactMap { $0 as? Object } ?? []
    }
}
