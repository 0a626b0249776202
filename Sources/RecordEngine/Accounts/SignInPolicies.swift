public import RecordModel
public import RecordStorage

/// Who may come into a container by its sign-in page, as operators say it.
public enum SignInPolicies {
    /// The most invited addresses and domains of a container.
    static let mostInvited = 10_000
    /// The longest title, in bytes.
    static let longestTitle = 100

    /// What holds for a tenant; where nobody has said anything, operators make accounts.
    ///
    /// - Throws: `StorageError` where the store cannot be read.
    public static func policy(of tenant: Tenant, store: any RecordStore) async throws -> SignInPolicyRow {
        try await store.read(.short) { try policy(of: tenant, in: $0) }
    }

    static func policy(of tenant: Tenant, in reader: any StoreReader) throws -> SignInPolicyRow {
        try reader.signInPolicy(of: tenant) ?? SignInPolicyRow(tenant: tenant)
    }

    /// Says who may come in.
    ///
    /// - Parameters:
    ///   - admission: who may make an account; nil leaves it as it is.
    ///   - invited: addresses, and domains with `@` in front, in the place of those before; nil leaves them.
    ///   - title: what the page calls the app; nil leaves it.
    ///   - publicRecords: what becomes of public records of people who delete their accounts; nil leaves it.
    ///   - color: the color of the page's buttons, `#rrggbb`; nil leaves it, an empty one removes it.
    ///   - logo: a PNG, JPEG or WebP picture of at most ``SignInLook/mostLogoBytes``; nil leaves it, an empty one removes it.
    ///   - links: what holds for links to what is shared.
    ///   - tenant: whose page it is.
    ///   - store: where it is kept.
    /// - Throws: `BAD_REQUEST` for what is not an address and no domain, a color that is too light, and anything that is not a picture.
    public static func set(
        admission: SignInPolicyRow.Admission? = nil, invited: [String]? = nil, title: String? = nil,
        publicRecords: ErasureRow.PublicRecords? = nil, color: String? = nil, logo: [UInt8]? = nil,
        links: ShareLinkSettings = ShareLinkSettings(), of tenant: Tenant, store: any RecordStore
    ) async throws -> SignInPolicyRow {
        let invited = try invited.map { try Set($0.map(checked)).sorted() }
        guard invited?.count ?? 0 <= mostInvited else {
            throw ServiceError(
                .badRequest, "No more than \(mostInvited) addresses and domains can be invited.")
        }
        if let title {
            guard title.utf8.count <= longestTitle, !title.contains(where: \.isNewline) else {
                throw ServiceError(.badRequest, "A title is one line of at most \(longestTitle) bytes.")
            }
        }
        let color = try color.map { try $0.isEmpty ? "" : SignInLook.checked(color: $0) }
        if let logo, !logo.isEmpty { try SignInLook.check(logo: logo) }
        return try await store.write { store in
            var policy = try policy(of: tenant, in: store)
            policy.admission = admission ?? policy.admission
            policy.invited = invited ?? policy.invited
            policy.title = title ?? policy.title
            policy.publicRecords = publicRecords ?? policy.publicRecords
            policy.color = color ?? policy.color
            if let logo { policy.logo = logo.isEmpty ? nil : logo }
            try links.apply(to: &policy)
            try store.store(policy)
            return policy
        }
    }

    private static func checked(_ text: String) throws -> String {
        let small = text.lowercased()
        if small.hasPrefix("@"), MailAddress.isDomain(Array(small.utf8.dropFirst())) { return small }
        if let address = MailAddress(small) { return address.text }
        throw ServiceError(
            .badRequest, "'\(text.prefix(100))' is neither an address nor a domain.",
            remedy: "Write addresses as 'ada@example.org', and domains as '@example.org'.")
    }
}

extension SignInPolicyRow {
    /// Whether an address may make an account by itself.
    func admits(_ address: MailAddress) -> Bool {
        switch admission {
        case .open: true
        case .invited: invited.contains(address.text) || invited.contains("@" + address.domain)
        case .operators: false
        }
    }
}
