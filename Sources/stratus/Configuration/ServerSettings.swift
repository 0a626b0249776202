import Foundation
import Logging
import RecordEngine
import RecordServer
import RecordStorageOpening

/// Who might change public records that somebody else made, before grants were enforced. Files that have the setting stay
/// good, and a server says what to do instead.
enum FormerWritePolicy: String, Sendable, CaseIterable {
    case creator, users
}

/// Whether HTTP/2 is spoken.
enum HTTP2Choice: String, Sendable, CaseIterable {
    case on, off
}

/// Whether operators need a second step.
enum SecondStepChoice: String, Sendable, CaseIterable {
    case optional, required
}

/// How log lines are written.
enum LogFormatChoice: String, Sendable, CaseIterable {
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
    /// The port to listen on; 0 lets the system choose.
    var port: Int
    /// The address by which clients reach the server where a proxy is in front; nil takes what they ask.
    var publicURL: String?
    /// The files of the certificate for HTTPS and of its key; nil for plain HTTP.
    var tlsCertificate: String?
    var tlsKey: String?
    /// Whether clients over TLS may speak HTTP/2.
    var http2: HTTP2Choice
    /// The port at which plain HTTP is sent on to HTTPS; nil for none.
    var redirectPort: Int?
    /// The least important log lines that are written.
    var logLevel: Logger.Level
    /// How they are written.
    var logFormat: LogFormatChoice
    /// What version 0.1 let everybody change; has no effect.
    var publicWrites: FormerWritePolicy
    /// Which indexes production asks of a schema.
    var indexes: IndexRules
    /// How long running requests may continue when the server is asked to stop.
    var drainSeconds: Int
    /// The addresses of proxies that stand in front of the server, besides those of this machine.
    var trustedProxies: [String]
    /// How many requests a minute each address, user and token may send.
    var rates: RateLimits
    /// How many bytes may be stored.
    var quotas: StorageQuotas
    /// The folder that is served beside the protocol; nil for none.
    var siteDirectory: String?
    /// The folder of backups that the server makes by itself; nil for none.
    var backupDirectory: String?
    /// How often it makes one.
    var backupInterval: Lifetime
    /// How many of them stay.
    var backupsKept: Int
    /// Where the log of the database is archived; nil for nowhere.
    var archiveLocation: String?
    /// For how long moments of it are kept.
    var archiveLifetime: Lifetime
    /// For how many days the values are kept that are deleted with a type or a field.
    var removedSchemaDays: Int
    /// The text from which the key of markers and tokens is made; nil for the one in the data directory.
    var secret: String?
    /// The file with the text of the master key of encrypted fields, or the text itself; the file goes before it.
    var masterKeyFile: String?
    var masterKey: String?
    /// The server that takes mails; nil where operators give links on.
    var mailServer: String?
    /// A file with the certificates that it is trusted by; nil for those of the system.
    var mailCertificates: String?
    /// From whom mails are; nil for a name made of the server's.
    var mailSender: MailSender?
    /// Words that nobody's password may be made of.
    var passwordWords: [String]
    /// A file of passwords that nobody may choose; nil where there is none.
    var breachedPasswords: String?
    /// Whether operators need a second step to enter the console.
    var operatorSecondStep: SecondStepChoice
    /// To which addresses webhooks may go.
    var webhookTargets: WebhookTargets
    /// Every setting with its source, as ``SettingsPrinter`` shows them.
    var effective: [EffectiveSetting] = []

    /// Finds the value of every setting: flags over environment over file over default.
    ///
    /// - Parameters:
    ///   - flags: what the command line gave.
    ///   - environment: the process's environment.
    /// - Throws: a ``Failure`` that names the place of the first value that cannot be.
    static func resolve(
        flags: [SettingKey: String?], environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> ServerSettings {
        try ServerSettings(SettingsLayers.standard(flags: flags, environment: environment))
    }

    init(_ layers: SettingsLayers) throws {
        dataDirectory = try layers.value(of: Settings.data)
        store =
            try layers.optional(Settings.store)?.within(dataDirectory) ?? .sqlite(directory: dataDirectory)
        host = try layers.value(of: Settings.host)
        port = try layers.value(of: Settings.port)
        publicURL = try layers.optional(Settings.publicURL)
        tlsCertificate = try layers.optional(Settings.tlsCertificate)
        tlsKey = try layers.optional(Settings.tlsKey)
        http2 = try layers.value(of: Settings.http2)
        redirectPort = try layers.optional(Settings.redirectPort)
        logLevel = try layers.value(of: Settings.logLevel)
        logFormat = try layers.value(of: Settings.logFormat)
        publicWrites = try layers.value(of: Settings.publicWrites)
        indexes = try layers.value(of: Settings.indexes)
        drainSeconds = try layers.value(of: Settings.drainSeconds)
        trustedProxies = try layers.optional(Settings.trustedProxies) ?? []
        rates = RateLimits(
            perAddress: try layers.value(of: Settings.addressRate),
            perUser: try layers.value(of: Settings.userRate),
            perToken: try layers.value(of: Settings.tokenRate))
        quotas = StorageQuotas(
            perUser: try layers.optional(Settings.userQuota)?.bytes,
            perContainer: try layers.optional(Settings.containerQuota)?.bytes)
        siteDirectory = try layers.optional(Settings.site)
        backupDirectory = try layers.optional(Settings.backupTo)
        backupInterval = try layers.value(of: Settings.backupEvery)
        backupsKept = try layers.value(of: Settings.backupKeep)
        archiveLocation = try layers.optional(Settings.archiveTo)
        archiveLifetime = try layers.value(of: Settings.archiveKeep)
        removedSchemaDays = try layers.value(of: Settings.removedSchemaDays)
        secret = try layers.optional(Settings.secret)
        masterKeyFile = try layers.optional(Settings.masterKeyFile)
        masterKey = try layers.optional(Settings.masterKey)
        mailServer = try layers.optional(Settings.mailServer)
        mailCertificates = try layers.optional(Settings.mailCertificates)
        mailSender = try layers.optional(Settings.mailFrom)
        passwordWords = try layers.optional(Settings.passwordWords) ?? []
        breachedPasswords = try layers.optional(Settings.breachedPasswords)
        operatorSecondStep = try layers.value(of: Settings.operatorSecondStep)
        webhookTargets = try layers.value(of: Settings.webhookTargets)
        effective = Settings.server.map(layers.effective)
    }

    /// The files of the certificate for HTTPS; nil for plain HTTP.
    ///
    /// - Throws: a ``Failure`` where one of the two is named alone, or plain HTTP is to be sent on to nowhere.
    func certificate() throws -> CertificateFiles? {
        switch (tlsCertificate, tlsKey) {
        case (nil, nil):
            guard redirectPort == nil else {
                throw Failure.usage(
                    "A redirectPort needs HTTPS to send to.",
                    remedy: "Set --tls-certificate and --tls-key as well.")
            }
            return nil
        case (let certificate?, let key?): return CertificateFiles(certificate: certificate, key: key)
        case (nil, _):
            throw Failure.usage(
                "There is a tlsKey, but no tlsCertificate.",
                remedy: "Set \(Settings.tlsCertificate.key.exampleCall).")
        case (_, nil):
            throw Failure.usage(
                "There is a tlsCertificate, but no tlsKey.",
                remedy: "Set \(Settings.tlsKey.key.exampleCall).")
        }
    }
}

extension StoreLocation {
    /// The location, with the data directory where it names none.
    fileprivate func within(_ dataDirectory: String) -> StoreLocation {
        self == .sqlite(directory: "") ? .sqlite(directory: dataDirectory) : self
    }
}
