import RecordModel
import RecordStorage
import Synchronization

/// The code that a device shows: eight consonants, which make no words and are not taken for each other's digits.
enum DeviceCode {
    static let length = 8
    private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)

    /// A code of random bytes, as people read it. Bytes that would make some letters more frequent wrap evenly enough: 256 is
    /// 12 times the letters, and 16 more.
    static func text(of random: [UInt8]) -> String {
        let text = String(decoding: random.map { letters[Int($0) % letters.count] }, as: UTF8.self)
        return text.prefix(length / 2) + "-" + text.suffix(length / 2)
    }

    /// What a device calls itself, without what would change how the sentence around it reads: line breaks, and marks that
    /// turn the direction of writing.
    static func plain(_ label: String) -> String {
        let scalars = label.unicodeScalars.filter {
            switch $0.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
            default: true
            }
        }
        return String(String.UnicodeScalarView(scalars.prefix(Limits.deviceNameLength)))
    }

    /// What the store knows a code by, however it was typed.
    static func digest(_ text: String, in tenant: Tenant) -> [UInt8] {
        let plain = text.uppercased().filter { $0.isLetter || $0.isNumber }.prefix(100)
        return AccessToken.digest("user code \(tenant) \(plain)")
    }
}

/// How often devices ask, on this node.
final class DevicePace: Sendable {
    private struct Entry {
        var askedAt: Int64
        var seconds: Int
    }

    private let entries = Mutex<[[UInt8]: Entry]>([:])
    /// Only devices with codes are remembered, so no more than there are codes at once, from one span to the next.
    private static let most = 2 * Limits.deviceCodes
    /// What a network may take off an interval.
    private static let toleranceMilliseconds: Int64 = 500

    /// - Returns: the interval from now on, where a device came too early; nil where it did not.
    func wait(_ digest: [UInt8], now: Int64) -> Int? {
        entries.withLock { entries in
            if entries.count >= Self.most { entries.removeAll(keepingCapacity: true) }
            guard var entry = entries[digest] else {
                entries[digest] = Entry(askedAt: now, seconds: Limits.devicePollSeconds)
                return nil
            }
            defer { entries[digest] = entry }
            let isEarly = now - entry.askedAt < Int64(entry.seconds) * 1_000 - Self.toleranceMilliseconds
            entry.askedAt = now
            guard isEarly else { return nil }
            entry.seconds += Limits.deviceSlowDownSeconds
            return entry.seconds
        }
    }
}

/// How many codes devices are given, on this node: so many to an address and to its network, so many to an app, so that whoever
/// has its public token does not use up those of all others, and so many in all. That bounds what the store keeps of them and how likely a
/// guess meets one.
final class DeviceLimits: Sendable {
    private enum Party: Hashable {
        case address(String)
        case network(String)
        case app(Tenant, String)

        var limit: Int {
            switch self {
            case .address: Limits.deviceCodesPerAddress
            case .network: Limits.deviceCodesPerNetwork
            case .app: Limits.deviceCodesPerApp
            }
        }
    }

    private struct Window {
        var since: Int64 = 0
        var count = 0
        var parties: [Party: Int] = [:]
    }

    private let window = Mutex(Window())

    /// Whether one more may be given: the limits are for spans of ``RecordModel/Limits/deviceCodeSeconds``, of which the first
    /// code begins each.
    ///
    /// - Parameters:
    ///   - client: the device.
    ///   - apiToken: the API token of the app on it.
    ///   - tenant: of which container.
    ///   - now: the time in milliseconds.
    func admit(from client: Accounts.Client, to apiToken: String, in tenant: Tenant, now: Int64) -> Bool {
        let parties: [Party] = [.address(client.address), .network(client.network), .app(tenant, apiToken)]
        return window.withLock { window in
            if now - window.since >= Int64(Limits.deviceCodeSeconds) * 1_000 { window = Window(since: now) }
            guard window.count < Limits.deviceCodes,
                parties.allSatisfy({ window.parties[$0, default: 0] < $0.limit })
            else { return false }
            window.count += 1
            for party in parties { window.parties[party, default: 0] += 1 }
            return true
        }
    }
}

extension ServiceError {
    /// Somebody asks for very many codes.
    static var tooManyDevices: ServiceError {
        var error = ServiceError(.throttled, "Too many devices ask for codes; ask again in 60 s.")
        error.retryAfterSeconds = 60
        return error
    }
}
