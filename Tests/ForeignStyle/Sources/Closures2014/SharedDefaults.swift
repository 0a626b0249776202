import CloudKit

/// What an app and its extension share.
class SharedDefaults {
    let defaults: UserDefaults

    init(defaults: UserDefaults) {
        self.defaults = defaults
    }

    func remember(_ token: CKServerChangeToken?) throws {
        try autoreleasepool {
            let data = try token.map {
                try NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
            }
            defaults.setValue(data, forKey: "token")
        }
    }

    var token: CKServerChangeToken? {
        guard let data = defaults.data(forKey: "token") else { return nil }
        return try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data)
    }

    static func folder(of group: String) -> URL? {
        FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)
    }
}
