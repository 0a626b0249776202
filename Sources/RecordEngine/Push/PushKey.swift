import Crypto
import Foundation
public import RecordModel
public import RecordStorage
import RecordWire

/// The key with which a container's pushes go to Apple's service, as its owner made it in the developer account.
public struct PushKey: Sendable {
    /// The account's team, and the key's name there.
    public var teamID: String
    public var keyID: String
    /// The app: its bundle identifier.
    public var topic: String
    /// The private key, as the `.p8` file has it.
    var pem: String
    /// Where pushes go instead of Apple's hosts, for proxies and tests; nil for those.
    public var server: String?
    /// A file with certificates to trust there; nil for those of the system.
    public var certificates: String?

    /// Takes a key.
    ///
    /// - Throws: `BAD_REQUEST` for a text that is not a key, and for names that cannot be.
    public init(
        pem: String, teamID: String, keyID: String, topic: String, server: String? = nil,
        certificates: String? = nil
    ) throws(ServiceError) {
        guard (try? P256.Signing.PrivateKey(pemRepresentation: pem)) != nil else {
            throw ServiceError(
                .badRequest, "This is not a private key of P-256 in PEM.",
                remedy: "Give the file AuthKey_….p8 that the developer account offered for download.")
        }
        func isName(_ text: String, _ length: Int) -> Bool {
            (1...length).contains(text.utf8.count)
                && text.utf8.allSatisfy { $0 != 0x3A && $0 != 0x22 && (0x21...0x7E).contains($0) }
        }
        guard isName(teamID, 20), isName(keyID, 20), isName(topic, Limits.nameLength) else {
            throw ServiceError(
                .badRequest,
                "A team and a key have ten letters and digits, a topic is the app's bundle identifier.")
        }
        if let server, !server.hasPrefix("https://") || URLComponents(string: server)?.host?.isEmpty != false
        {
            throw ServiceError(
                .badRequest, "The server must be an address as in https://api.push.apple.com.")
        }
        self.pem = pem
        self.teamID = teamID
        self.keyID = keyID
        self.topic = topic
        self.server = server
        self.certificates = certificates
    }

    init(stored definition: [UInt8]) throws {
        let json = try JSONReader.read(definition).object ?? JSONObject()
        try self.init(
            pem: json.requiredString("key"), teamID: json.requiredString("teamID"),
            keyID: json.requiredString("keyID"), topic: json.requiredString("topic"),
            server: json.string("server"), certificates: json.string("certificates"))
    }

    /// The host of an environment of pushes.
    func server(for environment: String) -> String {
        server
            ?? (environment == "production"
                ? "https://api.push.apple.com" : "https://api.sandbox.push.apple.com")
    }

    private var definition: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("key", pem)
            writer.member("teamID", teamID)
            writer.member("keyID", keyID)
            writer.member("topic", topic)
            writer.member("server", server)
            writer.member("certificates", certificates)
            writer.endObject()
        }
    }

    /// Stores the key, in the place of the tenant's former one.
    ///
    /// - Throws: `StorageError` where the store cannot be written.
    public func store(for tenant: Tenant, in store: any RecordStore) async throws {
        let definition = definition
        try await store.write { try $0.store(pushKey: definition, of: tenant) }
    }

    /// The key of a tenant; nil where there is none.
    ///
    /// - Throws: `StorageError` where the store cannot be read, `JSONError` or `BAD_REQUEST` where the stored key is
    ///   damaged; `CancellationError`.
    public static func find(of tenant: Tenant, in store: any RecordStore) async throws -> PushKey? {
        try await store.read(.short) { try $0.pushKey(of: tenant) }.map { try PushKey(stored: $0) }
    }

    /// Forgets the key of a tenant. Its receivers stay and wait.
    ///
    /// - Throws: `NOT_FOUND`; `StorageError`.
    public static func remove(of tenant: Tenant, in store: any RecordStore) async throws {
        try await store.write { store in
            guard try store.pushKey(of: tenant) != nil else {
                throw ServiceError(.notFound, "\(tenant) has no key for Apple's push service.")
            }
            try store.store(pushKey: nil, of: tenant)
        }
    }
}

extension RecordService {
    /// `tokens/register` with a device's token of Apple's push service.
    ///
    /// - Returns: nil where the text is no such token, or the container has no key.
    func registerDevice(
        _ token: String, _ request: TokenRequest, _ user: String, _ context: CallContext
    ) async throws -> ServiceOutput? {
        let digits = token.lowercased()
        guard (64...200).contains(digits.utf8.count), digits.utf8.count.isMultiple(of: 2),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            try await store.read(.short, { try $0.pushKey(of: context.tenant) }) != nil
        else { return nil }
        try await registerPush(
            ReceiverRow(
                digest: Self.deviceDigest(digits, request.apnsEnvironment, context.tenant),
                tenant: context.tenant, user: user, pushEnvironment: request.apnsEnvironment,
                client: String((request.clientID ?? "").prefix(Limits.nameLength)), cursor: 0,
                createdAt: context.now, seenAt: context.now, channel: .apns,
                definition: JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("token", digits)
                    writer.endObject()
                }, origin: context.origin, registeredAt: context.now))
        return .emptyObject
    }

    /// By what a device's receiver is known.
    static func deviceDigest(_ token: String, _ environment: String, _ tenant: Tenant) -> [UInt8] {
        AccessToken.digest("apns \(tenant) \(environment) \(token)")
    }
}
