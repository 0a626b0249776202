import RecordModel
import RecordStorage

/// What operators say of a container's links to what is shared. What is nil stays as it is.
public struct ShareLinkSettings: Sendable {
    /// Whether links of shares that their owners open to everybody are shown to people without an account.
    public var showsShares: Bool?
    /// What 'Open in the app' leads to, with ``placeholder`` where the link stands; empty for nothing.
    public var appLink: String?
    /// The apps that open links by themselves; see ``LinkedApp``.
    public var linkedApps: [String]?
    /// Whether invited people are told by mail.
    public var mailsInvitations: Bool?

    /// Says what is to change.
    public init(
        showsShares: Bool? = nil, appLink: String? = nil, linkedApps: [String]? = nil,
        mailsInvitations: Bool? = nil
    ) {
        self.showsShares = showsShares
        self.appLink = appLink
        self.linkedApps = linkedApps
        self.mailsInvitations = mailsInvitations
    }

    /// What stands for the link in the app's address.
    public static let placeholder = "{link}"
    /// The most apps of a container.
    static let mostApps = 20
    /// The longest address of an app in bytes.
    static let longestAppLink = 500

    /// Puts what is said into a policy.
    ///
    /// - Throws: `BAD_REQUEST` for a text that is neither an app nor its address.
    func apply(to policy: inout SignInPolicyRow) throws(ServiceError) {
        policy.showsShares = showsShares ?? policy.showsShares
        if let mailsInvitations { policy.mutesInvitations = !mailsInvitations }
        if let appLink {
            guard appLink.isEmpty || Self.isAppLink(appLink) else {
                throw ServiceError(
                    .badRequest, "'\(appLink.prefix(100))' is not an address that opens an app.",
                    remedy: "Write it with '{link}' where the link is to stand: players://share/{link}.")
            }
            policy.appLink = appLink
        }
        guard let linkedApps else { return }
        guard linkedApps.count <= Self.mostApps else {
            throw ServiceError(
                .badRequest, "No more than \(Self.mostApps) apps can open a container's links.")
        }
        var apps: [String] = []
        for text in linkedApps {
            guard let app = LinkedApp(text) else {
                throw ServiceError(
                    .badRequest, "'\(text.prefix(100))' names no app.",
                    remedy:
                        "Write apps of Apple as 'ABCDE12345.com.example.app', and those of Android as 'com.example.app/FINGERPRINT' with the SHA-256 fingerprint of their certificate."
                )
            }
            if !apps.contains(app.text) { apps.append(app.text) }
        }
        policy.linkedApps = apps
    }

    /// Schemes whose addresses open no app, but run or show what stands in them.
    private static let refusedSchemes = ["javascript", "data", "file", "vbscript", "blob", "about", "http"]

    static func isAppLink(_ text: String) -> Bool {
        guard text.utf8.count <= longestAppLink, let end = text.firstRange(of: "://"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !#"<>"'`\"#.utf8.contains($0) }),
            text.ranges(of: placeholder).count == 1
        else { return false }
        let scheme = text[..<end.lowerBound]
        let isScheme = scheme.utf8.enumerated().allSatisfy { place, byte in
            switch byte {
            case 0x61...0x7A: true
            case 0x30...0x39, 0x2B, 0x2D, 0x2E: place > 0
            default: false
            }
        }
        return !scheme.isEmpty && isScheme && !refusedSchemes.contains(String(scheme))
            && !text[end.upperBound...].hasPrefix(placeholder)
    }
}

/// An app that opens the links of a server's shares by itself, since the server names it.
public enum LinkedApp: Hashable, Sendable {
    /// An app of Apple's systems: team and bundle identifier.
    case apple(String)
    /// An app of Android: its package, and the SHA-256 fingerprint of the certificate that signs it.
    case android(package: String, fingerprint: String)

    /// Reads `ABCDE12345.com.example.app` or `com.example.app/14:6D:E9:…`; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        switch parts.count {
        case 1:
            let names = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            guard names.count == 2, names[0].utf8.count == 10,
                names[0].utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }),
                Self.isName(names[1])
            else { return nil }
            self = .apple(text)
        case 2:
            let digits = parts[1].uppercased()
            let bytes = digits.split(separator: ":", omittingEmptySubsequences: false)
            guard Self.isName(parts[0]), parts[0].contains("."), bytes.count == 32,
                bytes.allSatisfy({ byte in
                    byte.utf8.count == 2
                        && byte.utf8.allSatisfy {
                            (0x30...0x39).contains($0) || (0x41...0x46).contains($0)
                        }
                })
            else { return nil }
            self = .android(package: String(parts[0]), fingerprint: digits)
        default: return nil
        }
    }

    /// As it is kept.
    public var text: String {
        switch self {
        case .apple(let name): name
        case .android(let package, let fingerprint): "\(package)/\(fingerprint)"
        }
    }

    /// Whether a text is a bundle identifier or the name of a package.
    private static func isName(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 155
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy { byte in
                        switch byte {
                        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                        default: false
                        }
                    }
            }
    }
}
