public import Crypto
public import RecordModel
public import RecordStorage
import RecordWire

/// Server-to-server keys as operators handle them: the store has the public half, the private one is its owner's.
public enum ServerKeys {
    /// A new key.
    public struct Created: Sendable {
        /// The key's id: 64 hexadecimal digits.
        public var id: String
        /// The private half as PEM, where it was made here; nothing can bring it back later.
        public var privateKey: String?
        /// What the store knows of it.
        public var row: TokenRow
    }

    /// Makes a key, or takes in the public half of one.
    ///
    /// - Parameters:
    ///   - tenant: where it is valid.
    ///   - label: what operators call it.
    ///   - user: as whom it acts; nil for a user of its own, which is made.
    ///   - publicKey: the public half as PEM; nil to have a pair made.
    ///   - store: where keys are kept.
    ///   - environment: the clock, and the randomness of a new user's name.
    /// - Throws: `BAD_REQUEST` for a text that is not a P-256 key or a label that is too long, `EXISTS` for a key or a user that
    ///   already exists; `StorageError`.
    public static func create(
        tenant: Tenant, label: String, user: UserRow?, publicKey: String?, store: any RecordStore,
        environment: ServiceEnvironment
    ) async throws -> Created {
        guard !label.isEmpty, label.utf8.count <= 200 else {
            throw ServiceError(.badRequest, "A key's name is 1 to 200 bytes long.")
        }
        let pair = publicKey == nil ? P256.Signing.PrivateKey() : nil
        guard
            let key = pair?.publicKey
                ?? publicKey.flatMap({ try? P256.Signing.PublicKey(pemRepresentation: $0) })
        else {
            throw ServiceError(
                .badRequest, "The text is not the public half of a P-256 key as PEM.",
                remedy: "Print it with: openssl ec -in eckey.pem -pubout")
        }
        let digest = id(of: key)
        // The user of a key that belongs to nobody is made in the same write.
        let isNew = user == nil
        let owner = try user ?? Users.make("server key \(label)", of: tenant, environment)
        let row = TokenRow(
            kind: .key, tenant: tenant, user: owner.recordName, label: label, createdAt: environment.now(),
            expiresAt: nil, publicKey: Array(key.x963Representation))
        try await store.write { store in
            guard try store.token(digest: digest) == nil else {
                throw ServiceError(
                    .exists, "The key already exists.",
                    remedy: "Make another pair: a key is for one container and one environment.")
            }
            if isNew { try Users.insert(owner, store) }
            try store.insert(row, digest: digest)
        }
        return Created(id: digest.hex, privateKey: pair?.pemRepresentation, row: row)
    }

    /// Ends a key, given by its id or the beginning of it that lists show. Servers may take it for five more seconds.
    ///
    /// - Throws: `NOT_FOUND` when the tenant has no such key.
    public static func revoke(
        _ id: String, of tenant: Tenant, store: any RecordStore
    ) async throws -> IdentifiedToken {
        guard let found = try await Tokens.find(id, of: tenant, store: store), found.row.kind == .key else {
            throw ServiceError(
                .notFound, "\(tenant) has no such key.",
                remedy:
                    "Find it with 'stratus key list --container \(tenant.container) --environment \(tenant.environment.rawValue)'."
            )
        }
        try await store.write { try $0.deleteToken(digest: found.digest) }
        return found
    }

    /// The keys of a tenant, the newest first.
    ///
    /// - Throws: `StorageError` where the store cannot be read.
    public static func all(of tenant: Tenant, store: any RecordStore) async throws -> [IdentifiedToken] {
        try await store.read(.short) { try $0.identifiedTokens(of: tenant) }.filter { $0.row.kind == .key }
    }

    /// The bytes of a key's id: the digest of its public half.
    public static func id(of key: P256.Signing.PublicKey) -> [UInt8] {
        Array(SHA256.hash(data: key.x963Representation))
    }
}

/// Signs requests, as clients do.
public enum RequestSigning {
    /// The values of the three headers.
    public struct Headers: Sendable {
        public var keyID: String
        public var date: String
        public var signature: String
    }

    /// Signs a request with the whole target and the digest of its body.
    ///
    /// - Parameters:
    ///   - target: the path, and what follows `?`.
    ///   - body: all of it; empty where there is none.
    ///   - date: as `2026-01-31T23:59:59Z`.
    ///   - key: the private half.
    /// - Throws: `CryptoKitError` where BoringSSL does not sign, which a sound key does not cause.
    public static func sign(
        _ target: String, body: [UInt8], date: String, with key: P256.Signing.PrivateKey
    ) throws -> Headers {
        let digest = Base64.encode(Array(SHA256.hash(data: body)))
        let text = "\(date):\(digest):\(target)"
        let signature = try key.signature(for: Array(text.utf8))
        return Headers(
            keyID: ServerKeys.id(of: key.publicKey).hex, date: date,
            signature: Base64.encode(Array(signature.derRepresentation)))
    }
}
