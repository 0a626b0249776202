import Foundation
import Logging
import RecordEngine
import RecordServer
import RecordStorageOpening

/// How log lines are written.
enum LogFormat: String, Sendable, CaseIterable {
    /// Text on a terminal, JSON otherwise.
    case auto
    case text
    case json
}

/// What the operator sets for the server.
struct ServerSettings: Sendable {
    /// The directory that holds the database.
    var dataDirectory: String
    /// Where the records are.
    var store: StoreLocation
    /// The address to listen at.
    var host: String
    /// The port to listen at; 0 lets the system choose.
    var port: Int
    /// The address by which clients reach the server where a proxy is in front; nil takes what they ask.
    var publicURL: String?
    /// The least important log lines that are written.
    var logLevel: Logger.Level
    /// How they are written.
    var logFormat: LogFormat
    /// Who may change records of public databases.
    var publicWrites: PublicWritePolicy
    /// Which indexes production asks of a schema.
    var indexes: IndexRules
    /// How long running requests may continue when the server is asked to stop.
    var drainSeconds: Int
    /// The addresses of proxies that stand in front of the server, besides those of this machine.
    var trustedProxies: [String]
    /// The folder that is served beside the protocol; nil for none.
    var siteDirectory: String?
    /// The text from which the key of markers and tokens is made; nil for the one in the data directory.
    var secret: String?
    /// Every setting with its source, as ``SettingsPrinter`` shows them.
    var effective: [EffectiveSetting] = []

    /// Finds the value of every setting: flags over environment over file over default.
    ///
    /// - Parameters:
    ///   - flags: what the command line gave.
    ///   - configuration: the settings file that was named; nil looks at STRATUS_CONFIG, then at the default ones.
    ///   - environment: the process's environment.
    /// - Throws: a ``Failure`` that names the place of the first value that cannot be.
    static func resolve(
        flags: [SettingKey: String?], configuration: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> ServerSettings {
        let file = try SettingsFile.values(at: configuration ?? environment["STRATUS_CONFIG"])
        return try ServerSettings(
            SettingsLayers(flags: flags, environment: environment, file: file))
    }

    init(_ layers: SettingsLayers) throws {
        dataDirectory = try layers.value(of: .data, expecting: "a directory") { $0.isEmpty ? nil : $0 }
        let location = layers.value(of: .store)
        guard let store = StoreLocation(location.value, dataDirectory: dataDirectory) else {
            throw Failure.usage(
                "The store is none that there is.", remedy: "Write \(StoreLocation.forms).")
        }
        self.store = store
        host = try layers.value(of: .host, expecting: "an address, 127.0.0.1 for example") { text in
            text.isEmpty || text.contains(where: \.isWhitespace) ? nil : text
        }
        port = try layers.value(of: .port, expecting: "a number from 0 to 65535") { text in
            Int(text).flatMap { (0...65_535).contains($0) ? $0 : nil }
        }
        publicURL = try layers.value(of: .publicURL).value.map(Self.publicURL)
        let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        logLevel = try layers.value(of: .logLevel, expecting: "one of \(levels)") {
            Logger.Level(rawValue: $0.lowercased())
        }
        logFormat = try layers.value(of: .logFormat, expecting: "auto, text or json") {
            LogFormat(rawValue: $0.lowercased())
        }
        publicWrites = try layers.value(of: .publicWrites, expecting: "creator or users") {
            PublicWritePolicy(rawValue: $0.lowercased())
        }
        indexes = try layers.value(of: .indexes, expecting: "open or apple") {
            IndexRules(rawValue: $0.lowercased())
        }
        drainSeconds = try layers.value(of: .drainSeconds, expecting: "a number from 0 to 3600") { text in
            Int(text).flatMap { (0...3_600).contains($0) ? $0 : nil }
        }
        trustedProxies = try (layers.value(of: .trustedProxies).value ?? "").split(separator: ",")
            .map { try Self.address($0.trimmingCharacters(in: .whitespaces)) }
        siteDirectory = layers.value(of: .site).value
        secret = layers.value(of: .secret).value
        if let secret, secret.utf8.count < ServerSecret.shortestText {
            throw Failure.usage(
                "\(SettingKey.secret.environmentName) is shorter than \(ServerSecret.shortestText) characters.",
                remedy: "Make one with 'openssl rand -hex 32', or leave it out.")
        }
        effective = SettingKey.server.map(layers.value(of:))
    }

    private static func address(_ text: String) throws -> String {
        guard TrustedProxies.isAddress(text) else {
            throw Failure.usage(
                "'\(text)' is no address of a proxy.",
                remedy: "Give --trusted-proxies as 10.0.0.2,2001:db8::2: addresses, not names.")
        }
        return text
    }

    private static func publicURL(_ text: String) throws -> String {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false,
            url.query == nil, url.fragment == nil
        else {
            throw Failure.usage(
                "'\(text)' is not an address by which clients can reach the server.",
                remedy: "Give --public-url as https://records.example.org.")
        }
        var text = url.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }
}
