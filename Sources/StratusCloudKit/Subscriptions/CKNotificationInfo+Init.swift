internal import Foundation

extension CKNotificationInfo {
    /// Creates a description of notifications; what is left out is not set.
    public convenience init(
        alertBody: String? = nil, alertLocalizationKey: String? = nil,
        alertLocalizationArgs: [CKRecord.FieldKey] = [], title: String? = nil,
        titleLocalizationKey: String? = nil, titleLocalizationArgs: [CKRecord.FieldKey] = [],
        subtitle: String? = nil, subtitleLocalizationKey: String? = nil,
        subtitleLocalizationArgs: [CKRecord.FieldKey] = [], alertActionLocalizationKey: String? = nil,
        alertLaunchImage: String? = nil, soundName: String? = nil, desiredKeys: [CKRecord.FieldKey] = [],
        shouldBadge: Bool = false, shouldSendContentAvailable: Bool = false,
        shouldSendMutableContent: Bool = false, category: String? = nil, collapseIDKey: String? = nil
    ) {
        self.init(
            Settings(
                alertBody: alertBody, alertLocalizationKey: alertLocalizationKey,
                alertLocalizationArgs: alertLocalizationArgs, title: title,
                titleLocalizationKey: titleLocalizationKey, titleLocalizationArgs: titleLocalizationArgs,
                subtitle: subtitle, subtitleLocalizationKey: subtitleLocalizationKey,
                subtitleLocalizationArgs: subtitleLocalizationArgs,
                alertActionLocalizationKey: alertActionLocalizationKey, alertLaunchImage: alertLaunchImage,
                soundName: soundName, desiredKeys: desiredKeys, shouldBadge: shouldBadge,
                shouldSendContentAvailable: shouldSendContentAvailable,
                shouldSendMutableContent: shouldSendMutableContent, category: category,
                collapseIDKey: collapseIDKey))
    }
}

extension CKNotificationInfo.Settings {
    private typealias Property<Value> = (key: String, path: any WritableKeyPath<Self, Value> & Sendable)

    private static var texts: [Property<String?>] {
        [
            ("AlertBody", \.alertBody), ("AlertLocalizationKey", \.alertLocalizationKey),
            ("Title", \.title), ("TitleLocalizationKey", \.titleLocalizationKey),
            ("Subtitle", \.subtitle), ("SubtitleLocalizationKey", \.subtitleLocalizationKey),
            ("AlertActionLocalizationKey", \.alertActionLocalizationKey),
            ("AlertLaunchImage", \.alertLaunchImage), ("SoundName", \.soundName), ("Category", \.category),
            ("CollapseIDKey", \.collapseIDKey),
        ]
    }

    private static var lists: [Property<[String]?>] {
        [
            ("AlertLocalizationArgs", \.alertLocalizationArgs),
            ("TitleLocalizationArgs", \.titleLocalizationArgs),
            ("SubtitleLocalizationArgs", \.subtitleLocalizationArgs), ("DesiredKeys", \.desiredKeys),
        ]
    }

    private static var flags: [Property<Bool>] {
        [
            ("ShouldBadge", \.shouldBadge), ("ShouldSendContentAvailable", \.shouldSendContentAvailable),
            ("ShouldSendMutableContent", \.shouldSendMutableContent),
        ]
    }

    /// Reads settings from an archive; what is not there was not set.
    init(coder: NSCoder) {
        for text in Self.texts { self[keyPath: text.path] = coder.safeText(forKey: text.key) }
        for list in Self.lists { self[keyPath: list.path] = coder.safeTexts(forKey: list.key) }
        for flag in Self.flags { self[keyPath: flag.path] = coder.safeInteger(forKey: flag.key) == 1 }
    }

    /// Writes the settings to an archive.
    func encode(with coder: NSCoder) {
        for text in Self.texts {
            guard let value = self[keyPath: text.path] else { continue }
            coder.encode(NSString(string: value), forKey: text.key)
        }
        for list in Self.lists { coder.encode(texts: self[keyPath: list.path], forKey: list.key) }
        for flag in Self.flags { coder.encode(Int64(self[keyPath: flag.path] ? 1 : 0), forKey: flag.key) }
    }
}
