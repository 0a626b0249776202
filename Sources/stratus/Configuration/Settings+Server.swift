import CurlAccess
import Foundation
import Logging
import RecordEngine
import RecordModel
import RecordServer
import RecordStorageOpening

extension Settings {
    static let data = Setting(
        SettingKey(
            name: "data", help: "The data directory.", valueName: "directory", expected: "a directory",
            defaultValue: "./data")
    ) { $0.isEmpty ? nil : $0 }

    /// Secret because the address of a database may hold a password.
    static let store = Setting(
        SettingKey(
            name: "store", help: "Where the records are: \(StoreLocation.forms).", valueName: "address",
            expected: StoreLocation.forms, defaultMeaning: "SQLite in the data directory",
            example: "postgres://stratus@localhost/stratus", isSecret: true)
    ) { StoreLocation($0, dataDirectory: "") }

    static let host = Setting(
        SettingKey(
            name: "host", help: "The address to listen at; 0.0.0.0 for all.", valueName: "address",
            expected: "an address, 127.0.0.1 for example", defaultValue: "127.0.0.1")
    ) { $0.isEmpty || $0.contains(where: \.isWhitespace) ? nil : $0 }

    static let port = Setting(
        SettingKey(
            name: "port", help: "The port to listen on; 0 lets the system choose.", valueName: "number",
            defaultValue: "8080"),
        in: 0...65_535)

    static let publicURL = Setting(
        SettingKey(
            name: "publicURL", help: "The address by which clients reach the server through a proxy.",
            valueName: "address", expected: "an address by which clients can reach the server",
            defaultMeaning: "what each request names", example: "https://records.example.org",
            remedy: "Write --public-url as https://records.example.org."),
        read: publicURL(of:))

    static let tlsCertificate = Setting(
        SettingKey(
            name: "tlsCertificate",
            help:
                "The file of the certificate for HTTPS, in PEM with the chain to its authority. A renewed one is taken while the server runs.",
            valueName: "file", expected: "a file", defaultMeaning: "none, which is plain HTTP",
            example: "/etc/stratus/fullchain.pem")
    ) { $0.isEmpty ? nil : $0 }

    static let tlsKey = Setting(
        SettingKey(
            name: "tlsKey", help: "The file of the certificate's private key, in PEM.", valueName: "file",
            expected: "a file", defaultMeaning: "none", example: "/etc/stratus/privkey.pem")
    ) { $0.isEmpty ? nil : $0 }

    static let http2 = Setting<HTTP2Choice>(
        choosing: SettingKey(
            name: "http2",
            help: "Whether clients over TLS may speak HTTP/2: on, or off for HTTP/1.1 alone.",
            valueName: "choice", defaultValue: "on"))

    static let redirectPort = Setting(
        SettingKey(
            name: "redirectPort",
            help: "A port that redirects plain HTTP to HTTPS, 80 for example.", valueName: "number",
            defaultMeaning: "none"),
        in: 1...65_535)

    static let logLevel = Setting<Logger.Level>(
        choosing: SettingKey(
            name: "logLevel",
            help:
                "The least important log lines that are written: trace, debug, info, notice, warning, error or critical.",
            valueName: "level", defaultValue: "info"))

    static let logFormat = Setting<LogFormatChoice>(
        choosing: SettingKey(
            name: "logFormat", help: "How log lines are written: auto, text or json.", valueName: "format",
            defaultValue: "auto", defaultMeaning: "auto, which is text on a terminal and JSON otherwise"))

    static let publicWrites = Setting<FormerWritePolicy>(
        choosing: SettingKey(
            name: "publicWrites",
            help:
                "Has no effect any more: the grants of the schema say who may change records of a public database.",
            valueName: "policy", defaultValue: "creator"))

    static let indexes = Setting<IndexRules>(
        choosing: SettingKey(
            name: "indexes",
            help:
                "Which indexes production asks for: open (every record can be asked for by its system fields) or apple (what CloudKit would refuse is refused).",
            valueName: "rules", defaultValue: "open"))

    static let drainSeconds = Setting(
        SettingKey(
            name: "drainSeconds",
            help: "How long running requests may continue when the server is asked to stop.",
            valueName: "seconds", defaultValue: "10"),
        in: 0...3_600)

    static let trustedProxies = Setting(
        SettingKey(
            name: "trustedProxies",
            help:
                "The addresses of the proxies in front of the server, with commas between them: their X-Forwarded-For says whose share of the connections and requests is used. Proxies on this machine need not be named.",
            valueName: "addresses", expected: "addresses with commas between them, not names",
            defaultMeaning: "none", example: "10.0.0.2,2001:db8::2",
            remedy: "Write --trusted-proxies as 10.0.0.2,2001:db8::2: addresses, not names."),
        read: addresses(of:))

    static let addressRate = rate(
        "addressRate", "The most requests a minute from one address, which may be that of many people",
        Limits.addressRequestsPerMinute)

    static let userRate = rate(
        "userRate", "The most requests a minute of one user", Limits.userRequestsPerMinute)

    static let tokenRate = rate(
        "tokenRate",
        "The most requests a minute with one API token or server-to-server key, which all who use an app may share",
        Limits.tokenRequestsPerMinute)

    static let userQuota = quota(
        "userQuota", "How many bytes of records and files the private database of a user may hold")

    static let containerQuota = quota(
        "containerQuota", "How many bytes of records and files a container may hold in each environment")

    private static func quota(_ name: String, _ help: String) -> Setting<ByteCount> {
        Setting(
            SettingKey(
                name: name, help: "\(help). More is answered QUOTA_EXCEEDED.", valueName: "size",
                expected: "a size like 500MB, 2GB or 100000", defaultMeaning: "any number", example: "1GB"),
            read: { ByteCount($0) })
    }

    private static func rate(_ name: String, _ help: String, _ usual: Int) -> Setting<Int> {
        Setting(
            SettingKey(
                name: name, help: "\(help); 0 for any number. Others are answered THROTTLED.",
                valueName: "number", defaultValue: String(usual)),
            in: 0...100_000_000)
    }

    static let site = Setting(
        SettingKey(
            name: "site",
            help:
                "A folder of files to serve at every address that the server itself does not use. Scripts and styles must be files of their own there, not inline.",
            valueName: "directory", defaultMeaning: "none", example: "./public"))

    static let backupTo = Setting(
        SettingKey(
            name: "backupTo",
            help:
                "A folder, or s3://BUCKET/PREFIX, to which the server backs itself up regularly. Best on another machine.",
            valueName: "directory", expected: "a directory or s3://BUCKET/PREFIX", defaultMeaning: "none",
            example: "/mnt/backups")
    ) { $0.isEmpty ? nil : $0 }

    static let backupEvery = Setting(
        SettingKey(
            name: "backupEvery", help: "How often the server makes a backup: 30m, 6h, 1d.", valueName: "time",
            expected: "a time of a minute or more, like 30m, 6h or 1d", defaultValue: "1d")
    ) { text in Lifetime(argument: text).flatMap { $0.milliseconds >= 60_000 ? $0 : nil } }

    static let backupKeep = Setting(
        SettingKey(
            name: "backupKeep", help: "The number of its backups that the server keeps there.",
            valueName: "count",
            defaultValue: "14"),
        in: 1...10_000)

    static let archiveTo = Setting(
        SettingKey(
            name: "archiveTo",
            help:
                "A folder, or s3://BUCKET/PREFIX, to which the server sends all changes every two seconds, so that any moment can be restored.",
            valueName: "directory", expected: "a directory or s3://BUCKET/PREFIX", defaultMeaning: "none",
            example: "/mnt/archive")
    ) { $0.isEmpty ? nil : $0 }

    static let archiveKeep = Setting(
        SettingKey(
            name: "archiveKeep", help: "For how long moments can be restored: 12h, 7d.", valueName: "time",
            expected: "a time of an hour or more, like 12h or 7d", defaultValue: "7d")
    ) { text in Lifetime(argument: text).flatMap { $0.milliseconds >= 3_600_000 ? $0 : nil } }

    static let removedSchemaDays = Setting(
        SettingKey(
            name: "removedSchemaDays",
            help:
                "The number of days for which the values of a deleted record type or field are kept, so that they can be brought back; 0 keeps none.",
            valueName: "days", defaultValue: "30"),
        in: 0...Limits.versionDays)

    static let mailServer = Setting(
        SettingKey(
            name: "mailServer",
            help:
                "The server that takes mails about people's accounts. TLS is required, except with a server on this machine. Without it, links are in the log and in the console.",
            valueName: "address", expected: "smtps://user:password@host:port or smtp://…",
            defaultMeaning: "none", example: "smtps://stratus:password@mail.example.org:465", isSecret: true,
            places: [.environment, .file])
    ) { CurlMail.Server(address: $0, certificates: nil) == nil ? nil : $0 }

    static let mailCertificates = Setting(
        SettingKey(
            name: "mailCertificates",
            help: "A file with the certificates that the server for mails is trusted by.",
            valueName: "file", expected: "a file", defaultMeaning: "those of the system")
    ) { $0.isEmpty ? nil : $0 }

    static let mailFrom = Setting(
        SettingKey(
            name: "mailFrom", help: "The sender of mails about accounts.", valueName: "address",
            expected: "an address, with a name in front perhaps",
            defaultMeaning: "stratus@ and the server's name",
            example: "Players <players@example.org>")
    ) { MailSender($0) }

    static let passwordWords = Setting(
        SettingKey(
            name: "passwordWords",
            help:
                "Words that nobody's password may be made of, with commas between them: names of the organization, its products and projects.",
            valueName: "words", expected: "words of three letters or more with commas between them",
            defaultMeaning: "none", example: "acme,roadrunner"),
        read: words(of:))

    static let breachedPasswords = Setting(
        SettingKey(
            name: "breachedPasswords",
            help:
                "A file of passwords that nobody may choose: one in each line, or their SHA-1 in order, as Have I Been Pwned gives them away.",
            valueName: "file", expected: "a file", defaultMeaning: "none")
    ) { $0.isEmpty ? nil : $0 }

    static let operatorSecondStep = Setting<SecondStepChoice>(
        choosing: SettingKey(
            name: "operatorSecondStep",
            help:
                "Whether operators need a code of an authenticator app to enter the console: optional (those who set one up when it was required) or required.",
            valueName: "choice", defaultValue: "optional"))

    static let webhookTargets = Setting<WebhookTargets>(
        choosing: SettingKey(
            name: "webhookTargets",
            help:
                "Where webhooks may go: public (addresses of the public internet only) or any (also this machine and private networks, which an operator of the console then reaches through them).",
            valueName: "targets", defaultValue: "public"))

    static let masterKeyFile = Setting(
        SettingKey(
            name: "masterKeyFile",
            help: "A file with the text from which the master key of encrypted fields is made.",
            valueName: "file", expected: "a file", defaultMeaning: "a key made of the server's secret")
    ) { $0.isEmpty ? nil : $0 }

    static let masterKey = Setting(
        SettingKey(
            name: "masterKey",
            help:
                "The text from which the master key of encrypted fields is made; masterKeyFile takes precedence.",
            valueName: "text", expected: "\(MasterKey.shortestText) bytes or more",
            defaultMeaning: "a key made of the server's secret",
            remedy: "Make one with 'openssl rand -hex 32', or leave it out.", isSecret: true,
            places: [.environment, .file])
    ) { MasterKey(text: $0) == nil ? nil : $0 }

    static let secret = Setting(
        SettingKey(
            name: "secret", help: "The text from which the key of markers and sync tokens is made.",
            valueName: "text", expected: "\(ServerSecret.shortestText) characters or more",
            defaultMeaning: "a key kept in the data directory",
            remedy: "Make one with 'openssl rand -hex 32', or leave it out.", isSecret: true,
            places: [.environment, .file])
    ) { $0.utf8.count < ServerSecret.shortestText ? nil : $0 }

    @Sendable private static func publicURL(of text: String) -> String? {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false,
            url.query == nil, url.fragment == nil,
            // A cookie's path ends with a semicolon, and two slashes begin another host's address.
            !url.path.contains(";"), !url.path.contains("//")
        else { return nil }
        var text = url.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }

    @Sendable private static func words(of text: String) -> [String]? {
        let words = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        return words.allSatisfy { $0.count >= 3 && $0.allSatisfy(\.isLetter) } ? words : nil
    }

    @Sendable private static func addresses(of text: String) -> [String]? {
        let addresses = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        return addresses.allSatisfy(TrustedProxies.isAddress) ? addresses : nil
    }
}
