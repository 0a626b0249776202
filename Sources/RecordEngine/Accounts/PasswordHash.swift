import Crypto
import RecordWire

/// How hard a password is to stretch.
public struct StretchingCost: Hashable, Sendable {
    /// The base-2 logarithm of the rounds.
    public var logRounds: Int
    /// The size of a block; memory is 128 times this times the rounds, in bytes.
    public var blockSize: Int
    /// How often that is done one after the other.
    public var parallelism: Int

    /// Collects the parameters of scrypt (RFC 7914).
    public init(logRounds: Int, blockSize: Int, parallelism: Int) {
        self.logRounds = logRounds
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// One of the settings that OWASP names equal: 32 MiB for each password that is being checked.
    public static let standard = StretchingCost(logRounds: 15, blockSize: 8, parallelism: 3)
}

/// For whom a password is stretched, so that nobody takes all turns.
public struct StretchingParty: Hashable, Sendable {
    /// The address of the network; nil where it is not known, and many may be behind it.
    public var client: String?
    /// The network around it, which may have very many addresses; nil for none but the address.
    public var network: String?
    /// The account's address or id; nil for none.
    public var account: String?

    /// Names somebody.
    public init(client: String? = nil, network: String? = nil, account: String? = nil) {
        self.client = client
        self.network = network
        self.account = account
    }
}

extension Accounts.Client {
    /// For whom a password of an account is stretched. Behind an address that is not known there may be many.
    func stretching(at account: String) -> StretchingParty {
        guard address != Self.unknownAddress else { return StretchingParty(account: account) }
        return StretchingParty(client: address, network: network, account: account)
    }
}

/// Stretches passwords, on threads that nothing else needs.
public protocol PasswordStretcher: Sendable {
    /// 32 bytes that only this password and salt give, and that take time and memory to find.
    ///
    /// - Throws: `TRY_AGAIN_LATER` when too many wait already, of all or of the party; `CryptoKitError` where there is no
    ///   memory for it.
    func stretch(
        _ password: [UInt8], salt: [UInt8], cost: StretchingCost, for party: StretchingParty
    ) async throws -> [UInt8]
}

extension PasswordStretcher {
    /// The same for nobody in particular.
    ///
    /// - Throws: `TRY_AGAIN_LATER` when too many wait already; `CryptoKitError` where there is no memory for it.
    public func stretch(_ password: [UInt8], salt: [UInt8], cost: StretchingCost) async throws -> [UInt8] {
        try await stretch(password, salt: salt, cost: cost, for: StretchingParty())
    }
}

/// A password as the store has it.
struct PasswordHash: Hashable {
    var cost: StretchingCost
    var salt: [UInt8]
    var hash: [UInt8]

    /// `scrypt$15$8$3$SALT$HASH`, with base64: the parameters stay with each password, so that they can be raised.
    var encoded: [UInt8] {
        let numbers = "\(cost.logRounds)$\(cost.blockSize)$\(cost.parallelism)"
        return Array("scrypt$\(numbers)$\(Base64.encodeURL(salt))$\(Base64.encodeURL(hash))".utf8)
    }

    init(cost: StretchingCost, salt: [UInt8], hash: [UInt8]) {
        self.cost = cost
        self.salt = salt
        self.hash = hash
    }

    /// Reads what ``encoded`` wrote; nil for anything else.
    init?(encoded: [UInt8]) {
        let parts = String(decoding: encoded, as: UTF8.self).split(
            separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "scrypt", let logRounds = Int(parts[1]),
            let blockSize = Int(parts[2]), let parallelism = Int(parts[3]), (1...20).contains(logRounds),
            (1...32).contains(blockSize), (1...16).contains(parallelism),
            let salt = Base64.decode(String(parts[4])), let hash = Base64.decode(String(parts[5]))
        else { return nil }
        self.init(
            cost: StretchingCost(logRounds: logRounds, blockSize: blockSize, parallelism: parallelism),
            salt: salt, hash: hash)
    }
}
