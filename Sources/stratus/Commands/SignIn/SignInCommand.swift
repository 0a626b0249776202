import ArgumentParser
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// `stratus sign-in`
struct SignInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Set who may sign in to a container.",
        discussion: """
            Each container has a page at /sign-in/CONTAINER/ENVIRONMENT. At first operators make all accounts there ('stratus \
            account invite'). With 'invited', people with invited addresses or of invited domains make accounts by \
            themselves; with 'open', anyone does.
            """,
        subcommands: [SignInSetCommand.self, SignInShowCommand.self, SignInProviderCommand.self])
}

/// `stratus sign-in set`
struct SignInSetCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set who may create an account, what the page calls the app, and how it looks.",
        discussion: """
            EXAMPLES
              stratus sign-in set open --title Players --container iCloud.com.example.app
              stratus sign-in set --color '#0a3d62' --logo logo.png --container iCloud.com.example.app
              stratus sign-in set --app-link 'players://share/{link}' --container iCloud.com.example.app
              stratus sign-in set --linked-app ABCDE12345.com.example.app --container iCloud.com.example.app
              stratus sign-in set --public-records remove --container iCloud.com.example.app
              stratus sign-in set invited --invite @example.org --invite ada@example.com --container iCloud.com.example.app
            """)

    @Argument(help: "Who may make an account: open, invited or operators. Default: as it is.")
    var admission: String?

    @Option(
        help: ArgumentHelp(
            "An invited address, or a domain with @ in front; repeat it for more. They replace the earlier ones.",
            valueName: "address"))
    var invite: [String] = []

    @Option(help: ArgumentHelp("What the page calls the app.", valueName: "text"))
    var title: String?

    @Option(
        help: ArgumentHelp(
            "The color of the page's buttons, dark enough for white text; '' for that of all pages.",
            valueName: "#rrggbb"))
    var color: String?

    @Option(
        help: ArgumentHelp(
            "A PNG, JPEG or WebP picture of at most 64 KiB, above the name.", valueName: "file"))
    var logo: String?

    @Flag(help: "Remove the picture.")
    var noLogo = false

    @Option(help: PublicRecordsOption.help)
    var publicRecords: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Show links of shares that their owners open to everybody to people without an account.")
    var showShares: Bool?

    @Flag(inversion: .prefixedNo, help: "Tell people by mail that somebody invited them to a share.")
    var mailInvitations: Bool?

    @Option(
        help: ArgumentHelp(
            "What the page of a share's link opens the app by: 'players://share/{link}'; '' for nothing.",
            valueName: "address"))
    var appLink: String?

    @Option(
        help: ArgumentHelp(
            """
            An app that opens links of shares by itself: TEAM.BUNDLE of Apple, PACKAGE/FINGERPRINT of Android; repeat it for more. \
            They replace the earlier ones; '' removes them.
            """, valueName: "app"))
    var linkedApp: [String] = []

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if logo != nil, noLogo { throw ValidationError("--logo and --no-logo exclude each other.") }
    }

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let publicRecords = try PublicRecordsOption.value(publicRecords)
        let admission = try admission.map { text in
            guard let admission = SignInPolicyRow.Admission(rawValue: text) else {
                throw Failure.usage(
                    "'\(text)' does not say who may make an account.",
                    remedy: "Use open, invited or operators.")
            }
            return admission
        }
        let picture = try picture()
        let policy = try await data.withStore {
            try await SignInPolicies.set(
                admission: admission, invited: invite.isEmpty ? nil : invite, title: title,
                publicRecords: publicRecords, color: color, logo: picture, links: links, of: tenant, store: $0
            )
        }
        guard output.json else { return Console.standard.note("From now on: \(policy.summary)") }
        Console.standard.line(json: policy.json)
    }

    /// What is said of links to what is shared.
    private var links: ShareLinkSettings {
        ShareLinkSettings(
            showsShares: showShares, appLink: appLink,
            linkedApps: linkedApp.isEmpty ? nil : linkedApp.filter { !$0.isEmpty },
            mailsInvitations: mailInvitations)
    }

    /// The bytes of the new picture, none to remove the old one; nil to leave it.
    private func picture() throws -> [UInt8]? {
        if noLogo { return [] }
        guard let logo else { return nil }
        let handle = try FileContents.open(logo)
        // One byte more than there may be, so that a file of any size is told to be too large.
        let bytes = Array(try handle.read(upToCount: SignInLook.mostLogoBytes + 1) ?? Data())
        guard !bytes.isEmpty else { throw Failure.usage("The file \(logo) is empty.") }
        return bytes
    }
}

/// `stratus sign-in show`
struct SignInShowCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show who may create an account.",
        discussion: "EXAMPLE\n  stratus sign-in show --container iCloud.com.example.app")

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let policy = try await data.withStore { try await SignInPolicies.policy(of: tenant, store: $0) }
        guard output.json else { return Console.standard.line(policy.summary) }
        Console.standard.line(json: policy.json)
    }
}

extension SignInPolicyRow {
    fileprivate var summary: String {
        let whom =
            switch admission {
            case .open: "anyone may make an account of \(tenant)."
            case .invited:
                "accounts of \(tenant) are for "
                    + (invited.isEmpty ? "nobody yet." : invited.joined(separator: ", ") + ".")
            case .operators: "operators make the accounts of \(tenant)."
            }
        let fate = publicRecords == .keep ? "stay, without a name" : "go"
        return whom + (title.isEmpty ? "" : " The page says '\(title)'.")
            + (color.isEmpty ? "" : " Its color is \(color).") + (logo == nil ? "" : " It has a logo.")
            + " Public records of people who delete their account \(fate)." + linkSummary
    }

    private var linkSummary: String {
        (showsShares ? " Links of shares that are open to everybody need no account." : "")
            + (appLink.isEmpty ? "" : " Pages of links open the app by \(appLink).")
            + (linkedApps.isEmpty ? "" : " Apps that open links: \(linkedApps.joined(separator: ", ")).")
            + (mutesInvitations ? " Invited people get no mail." : "")
    }

    fileprivate var json: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("container", tenant.container.rawValue)
            writer.member("environment", tenant.environment.rawValue)
            writer.member("admission", admission.rawValue)
            writer.key("invited")
            writer.beginArray()
            for text in invited { writer.string(text) }
            writer.endArray()
            writer.member("title", title)
            writer.member("publicRecords", publicRecords.rawValue)
            writer.member("color", color)
            writer.member("logoBytes", Int64(logo?.count ?? 0))
            writer.member("showShares", showsShares)
            writer.member("appLink", appLink)
            writer.member("linkedApps", linkedApps)
            writer.member("mailInvitations", !mutesInvitations)
            writer.endObject()
        }
    }
}
