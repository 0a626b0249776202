import Crypto
public import RecordModel
import RecordStorage
import RecordWire

/// Somebody who opens a link in a browser.
public struct ShareVisitor: Sendable {
    /// Whose page the link is opened at.
    public var tenant: Tenant
    /// The user who is signed in there; nil for nobody.
    public var user: String?
    /// Where the browser is: what it opens is counted by that.
    public var address: String

    /// Says who it is.
    public init(tenant: Tenant, user: String?, address: String) {
        self.tenant = tenant
        self.user = user
        self.address = address
    }
}

/// What the page of a link says before anything of what is shared.
public struct LinkPage: Sendable {
    /// What the visitor is to the share.
    public enum Standing: Hashable, Sendable {
        /// Whose it is.
        case owner
        /// Invited, and not come yet.
        case invited
        /// Somebody who takes part.
        case accepted
        /// Somebody who declined or left, and may come back.
        case left
        /// Somebody whom the link alone lets in.
        case visitor
        /// Somebody who may look without an account.
        case anybody
        /// Somebody who may ask to be let in.
        case asker
        /// Somebody who has asked.
        case asked
    }

    /// What the visitor is to the share.
    public var standing: Standing
    /// Whether the visitor may also change what is shared.
    public var mayWrite: Bool
    /// Whether the visitor sees what is shared.
    public var seesRecords: Bool
    /// Whether the visitor may decline, which the owner sees.
    public var mayDecline: Bool
    /// Whether the owner takes requests to be let in.
    public var takesRequests: Bool
    /// What the owner calls it, on one line; empty for nothing.
    public var title: String
    /// The name by which the owner lets others see them; nil for none.
    public var owner: String?
    /// Whether there is a picture that pages can show.
    public var hasPicture: Bool
}

extension RecordService {
    /// Where a link is to be opened: the tenant of what it leads to.
    ///
    /// A link that leads nowhere has a tenant all the same, always the same one of those that there are: where a link is opened tells
    /// nobody whether it leads somewhere.
    ///
    /// - Returns: nil for a text that is not a link, and where there are no tenants.
    /// - Throws: `THROTTLED` for somebody who opens very many; `StorageError`.
    public func tenant(ofLink text: String, openedAt address: String) async throws -> Tenant? {
        guard let link = LinkCode.find(in: text), link == text else { return nil }
        try linkLookups.take(1, of: "at \(address)", in: nil, now: environment.now())
        let digest = LinkCode.digest(link)
        var code = secret.code
        code.update(data: Array("tenant of link".utf8) + digest)
        let choice = Array(code.finalize().prefix(4)).reduce(0) { $0 << 8 | Int($1) }
        return try await atEvenTimes { [self] in
            let tenants = try await store.read(.short) { reader in
                let row = try reader.shareLink(digest: digest)
                let invitation = try reader.invitation(digest: digest)
                let all = try reader.tenants().sorted { "\($0)" < "\($1)" }
                return (own: row?.tenant ?? invitation?.tenant, all: all)
            }
            let production = tenants.all.filter { $0.environment == .production }
            let few = production.isEmpty ? tenants.all : production
            return tenants.own ?? (few.isEmpty ? nil : few[choice % few.count])
        }
    }

    /// What the page of a link says; nil for a link that leads nowhere, or nowhere that the visitor may know of.
    ///
    /// - Throws: `THROTTLED` for somebody who opens very many; `StorageError`.
    public func sharePage(_ text: String, for visitor: ShareVisitor) async throws -> LinkPage? {
        let (link, context) = try open(text, visitor)
        return try await atEvenTimes { [self] in
            try await store.read(.short, for: context.party) { reader in
                guard let link, let found = try ResolvedLink.find(link, context, reader) else { return nil }
                return try LinkPage(found, context, reader)
            }
        }
    }

    /// The picture of a share, where there is one that pages can show; nil otherwise.
    ///
    /// - Throws: as ``sharePage(_:for:)``.
    public func sharePicture(_ text: String, for visitor: ShareVisitor) async throws -> [UInt8]? {
        let (link, context) = try open(text, visitor)
        return try await atEvenTimes { [self] in
            try await store.read(.short, for: context.party) { reader in
                guard let link, let found = try ResolvedLink.find(link, context, reader) else { return nil }
                return try found.preview(reader).picture
            }
        }
    }

    /// What somebody does on the page of a link.
    public enum ShareDeed: String, Sendable, CaseIterable {
        /// Comes in.
        case accept
        /// Does not come in, or leaves.
        case decline
        /// Asks to be let in.
        case ask
    }

    /// Does what somebody who is signed in wants on the page of a link. Where the link says nothing to them, nothing is done.
    ///
    /// - Throws: `AUTHENTICATION_REQUIRED` for nobody in particular; `THROTTLED`; what accepting throws; `StorageError`.
    public func act(_ deed: ShareDeed, on text: String, for visitor: ShareVisitor) async throws {
        let (link, context) = try open(text, visitor)
        guard let user = visitor.user else { throw ServiceError.needsUser }
        guard let link else { return }
        _ = try await atEvenTimes { [self] in
            try await store.write { store in
                guard let found = try ResolvedLink.find(link, context, store) else { return }
                let entry = ShareEntry(found, user: user, context, store)
                switch deed {
                case .accept: try entry.accept()
                case .decline: try entry.decline()
                case .ask: _ = try entry.request()
                }
            }
        }
    }

    private func open(_ text: String, _ visitor: ShareVisitor) throws(ServiceError) -> (
        link: String?, context: CallContext
    ) {
        let context = CallContext(visitor, now: environment.now())
        try linkLookups.take(1, of: "at \(visitor.address)", in: nil, now: context.now)
        if visitor.user != nil {
            try linkLookups.take(1, of: "\(context.party)", in: visitor.tenant, now: context.now)
        }
        return (LinkCode.find(in: text), context)
    }

    /// What the page of a link lists; nil where the visitor sees nothing of what is shared, or not the record.
    ///
    /// - Parameters:
    ///   - text: the link.
    ///   - record: the record whose records below are listed; nil for the beginning.
    ///   - after: where the page goes on; 0 for the beginning.
    ///   - visitor: who looks.
    /// - Throws: `StorageError`.
    public func sharedList(
        _ text: String, record: String?, after: Int64, for visitor: ShareVisitor
    ) async throws -> SharedList? {
        // The page itself was counted.
        let (link, context) = (LinkCode.find(in: text), CallContext(visitor, now: environment.now()))
        return try await atEvenTimes { [self] in
            try await store.read(.short, for: context.party) { reader in
                guard let link, let found = try ResolvedLink.find(link, context, reader), found.seesRecords
                else { return nil }
                return try SharedList(found, record: record, after: after, reader)
            }
        }
    }
}

extension CallContext {
    /// The request of a page.
    fileprivate init(_ visitor: ShareVisitor, now: Int64) {
        self.init(
            tenant: visitor.tenant, database: DatabaseID(tenant: visitor.tenant, owner: visitor.user),
            caller: visitor.user.map { .user($0) } ?? .anonymous, now: now, requestID: "", baseURL: "",
            party: ReadParty(tenant: visitor.tenant, name: visitor.user ?? "at \(visitor.address)"))
        scope = .public
    }
}

extension LinkPage {
    fileprivate init(_ found: ResolvedLink, _ context: CallContext, _ reader: any StoreReader) throws {
        let preview = try found.preview(reader)
        title = preview.title
        hasPicture = preview.picture != nil
        mayWrite = false
        mayDecline = false
        takesRequests = found.share.options.contains(.takesRequests)
        seesRecords = found.seesRecords
        switch found.standing {
        case .owner:
            standing = .owner
            mayWrite = true
        case .participant(let row):
            standing =
                switch row.status {
                case .accepted: .accepted
                case .unsubscribed: .left
                case .invited, .removed, .requested, .blocked: .invited
                }
            mayWrite = row.permission == .write
            // Whoever comes first is who was invited: nobody declines for all others.
            mayDecline = standing != .left && !row.isForWhoeverOpens
        case .visitor:
            standing = .visitor
            mayWrite = found.share.publicPermission == .write
        case .anybody: standing = .anybody
        case .asker:
            let user = context.caller.userRecordName
            let hasAsked = try reader.participants(ofShare: found.share.name, in: found.zone.id)
                .contains { $0.user == user && $0.status == .requested }
            standing = hasAsked ? .asked : .asker
        }
        let row = try found.database.owner.flatMap { try reader.user(named: $0, of: context.tenant) }
        owner = row.flatMap { $0.discovery.sharedName }
    }
}

extension UserDiscovery {
    /// The name by which somebody lets others see them; nil for none.
    var sharedName: String? {
        guard isAllowed != false else { return nil }
        let name = [givenName, familyName].filter { !$0.isEmpty }.joined(separator: " ").onOneLine
        return name.isEmpty ? nil : name
    }
}

extension String {
    /// The text without what breaks a line or turns its direction, as far as pages and mails show it.
    var onOneLine: String {
        let plain = unicodeScalars.map { scalar -> Character in
            // What joins letters and emoji stays.
            if scalar == "\u{200C}" || scalar == "\u{200D}" { return Character(scalar) }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: return " "
            default: return Character(scalar)
            }
        }
        let text = String(plain).split(separator: " ").joined(separator: " ")
        let most = Limits.shareTitleCharacters
        return text.count <= most ? text : text.prefix(most - 1) + "…"
    }
}

extension ResolvedLink {
    /// Whether the visitor sees the records, and not only what the share is.
    fileprivate var seesRecords: Bool {
        switch standing {
        case .owner, .anybody: true
        case .participant(let row): row.status == .accepted && row.permission != .none
        case .visitor, .asker: false
        }
    }

    /// What the share's record says of it.
    func preview(_ reader: any StoreReader) throws -> (title: String, picture: [UInt8]?) {
        guard let row = try reader.record(named: share.name, in: zone.id) else { return ("", nil) }
        var title = ""
        var picture: [UInt8]?
        for (name, value) in try RecordBody.fields(of: row.body) {
            switch (name, value) {
            case ("cloudkit.title", .string(let text)): title = text.onOneLine
            case ("cloudkit.thumbnailImageData", .bytes(let bytes)):
                let isShown =
                    bytes.count <= Limits.sharePictureBytes && SignInLook.type(ofLogo: bytes) != nil
                picture = isShown ? bytes : nil
            default: break
            }
        }
        return (title, picture)
    }
}
