import Logging
import RecordEngine
import RecordModel
import RecordServer
import TestSeeds
import Testing

@testable import stratus

@Suite struct SettingsTests {
    private func settings(
        flag: String? = nil, environment: String? = nil, file: String? = nil
    ) throws -> ServerSettings {
        try ServerSettings(
            SettingsLayers(
                flags: [Settings.port.key: flag],
                environment: environment.map { ["STRATUS_PORT": $0] } ?? [:],
                file: file.map { ["port": $0] } ?? [:]))
    }

    /// Every combination of the three places: the strongest one that is there counts.
    @Test func flagsOverEnvironmentOverFileOverDefault() throws {
        for mask in 0..<8 {
            let result = try settings(
                flag: mask & 4 != 0 ? "4" : nil, environment: mask & 2 != 0 ? "2" : nil,
                file: mask & 1 != 0 ? "1" : nil)
            let expected: (Int, SettingsSource) =
                mask & 4 != 0
                ? (4, .flag)
                : mask & 2 != 0 ? (2, .environment) : mask & 1 != 0 ? (1, .file) : (8080, .default)
            #expect(result.port == expected.0)
            #expect(result.effective.first { $0.key == Settings.port.key }?.source == expected.1)
        }
    }

    @Test func defaultsAreThose() throws {
        let settings = try settings()
        #expect(settings.dataDirectory == "./data")
        #expect(settings.host == "127.0.0.1")
        #expect(settings.logLevel == .info)
        #expect(settings.logFormat == .auto)
        #expect(settings.publicWrites == .creator)
        #expect(settings.indexes == .open)
        #expect(settings.drainSeconds == 10)
        #expect(settings.secret == nil)
        #expect(settings.rates == .published)
    }

    @Test func everyEnvironmentNameIsRead() throws {
        let environment = [
            "STRATUS_DATA": "/d", "STRATUS_HOST": "::1", "STRATUS_PORT": "0", "STRATUS_LOG_LEVEL": "DEBUG",
            "STRATUS_LOG_FORMAT": "json", "STRATUS_PUBLIC_WRITES": "users", "STRATUS_DRAIN_SECONDS": "3",
            "STRATUS_SECRET": "0123456789abcdef0123456789abcdef", "STRATUS_PUBLIC_URL": "https://h.example",
            "STRATUS_SITE": "/s", "STRATUS_INDEXES": "apple", "STRATUS_STORE": "memory:",
            "STRATUS_TRUSTED_PROXIES": "10.0.0.2", "STRATUS_BACKUP_TO": "/b", "STRATUS_BACKUP_EVERY": "6h",
            "STRATUS_BACKUP_KEEP": "3", "STRATUS_ADDRESS_RATE": "1", "STRATUS_USER_RATE": "2",
            "STRATUS_TLS_CERTIFICATE": "/c", "STRATUS_TLS_KEY": "/k", "STRATUS_REDIRECT_PORT": "80",
            "STRATUS_TOKEN_RATE": "3", "STRATUS_MAIL_SERVER": "smtps://u:0123456789@h",
            "STRATUS_MAIL_CERTIFICATES": "/c", "STRATUS_MAIL_FROM": "Ada <ada@h>",
            "STRATUS_USER_QUOTA": "4kB", "STRATUS_CONTAINER_QUOTA": "5MiB",
            "STRATUS_PASSWORD_WORDS": "acme, roadrunner", "STRATUS_BREACHED_PASSWORDS": "/p",
            "STRATUS_HTTP2": "off", "STRATUS_OPERATOR_SECOND_STEP": "required",
            "STRATUS_WEBHOOK_TARGETS": "any", "STRATUS_ARCHIVE_TO": "/a", "STRATUS_ARCHIVE_KEEP": "12h",
            "STRATUS_REMOVED_SCHEMA_DAYS": "9", "STRATUS_MASTER_KEY_FILE": "/m",
            "STRATUS_MASTER_KEY": "0123456789abcdef0123456789abcdef",
        ]
        #expect(Set(Settings.server.map(\.environmentName)) == Set(environment.keys))
        let settings = try ServerSettings(SettingsLayers(flags: [:], environment: environment, file: [:]))
        #expect(settings.dataDirectory == "/d" && settings.host == "::1" && settings.port == 0)
        #expect(settings.logLevel == .debug && settings.logFormat == .json)
        #expect(settings.publicWrites == .users && settings.drainSeconds == 3 && settings.indexes == .apple)
        #expect(settings.publicURL == "https://h.example" && settings.siteDirectory == "/s")
        #expect("\(settings.store)" == "memory:")
        #expect(settings.archiveLocation == "/a" && settings.archiveLifetime.milliseconds == 43_200_000)
        #expect(settings.http2 == .off && settings.operatorSecondStep == .required)
        #expect(settings.removedSchemaDays == 9 && settings.masterKeyFile == "/m")
        #expect(settings.passwordWords == ["acme", "roadrunner"] && settings.breachedPasswords == "/p")
        #expect(settings.masterKey == "0123456789abcdef0123456789abcdef")
        #expect(settings.mailServer == "smtps://u:0123456789@h" && settings.mailCertificates == "/c")
        #expect(settings.mailSender?.header == "\"Ada\" <ada@h>")
        #expect(try settings.certificate() == CertificateFiles(certificate: "/c", key: "/k"))
        #expect(settings.redirectPort == 80 && settings.webhookTargets == .any)
        #expect(settings.quotas == StorageQuotas(perUser: 4_000, perContainer: 5_242_880))
        #expect(settings.rates == RateLimits(perAddress: 1, perUser: 2, perToken: 3))
        #expect(settings.effective.allSatisfy { $0.source == .environment })
        let shown = SettingsPrinter.table(settings.effective, width: nil)
        #expect(shown.contains("********") && !shown.contains("0123456789abcdef"))
        #expect(
            !String(decoding: SettingsPrinter.json(settings.effective), as: UTF8.self).contains("0123456789"))
    }

    @Test func emptyVariablesDoNotCount() throws {
        #expect(try settings(environment: "", file: "1").port == 1)
    }

    @Test(arguments: [("http", "STRATUS_PORT"), ("70000", "STRATUS_PORT"), ("-1", "STRATUS_PORT")])
    func errorsNameThePlace(value: String, place: String) {
        let failure = #expect(throws: Failure.self) { try settings(environment: value, file: "1") }
        #expect(failure?.sentence.contains(place) == true)
        #expect(failure?.exitCode == 64)
    }

    @Test func theFileIsChecked() throws {
        let values = try SettingsFile.values(
            json: Array(#"{"port":9000,"host":"h","drainSeconds":null}"#.utf8), name: "f")
        #expect(values == ["port": "9000", "host": "h"])
        #expect(throws: Failure.self) { try SettingsFile.values(json: Array(#"{"prot":1}"#.utf8), name: "f") }
        #expect(throws: Failure.self) {
            try SettingsFile.values(json: Array(#"{"port":[1]}"#.utf8), name: "f")
        }
        #expect(throws: (any Error).self) { try SettingsFile.values(json: Array("[]".utf8), name: "f") }
        #expect(throws: Failure.self) { try SettingsFile.values(at: "/nowhere/stratus.json") }
    }

    @Test func aNamedFileCounts() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.file("s.json", #"{"port": 1234}"#)
        #expect(try ServerSettings.resolve(flags: [Settings.config.key: path], environment: [:]).port == 1234)
        #expect(try ServerSettings.resolve(flags: [:], environment: ["STRATUS_CONFIG": path]).port == 1234)
    }

    @Test func `An installed service's file counts where no other is there, and is open to this user`() throws
    {
        let directory = try TemporaryDirectory()
        let path = try directory.file("system.json", #"{"port": 4321}"#)
        #expect(try SettingsFile.values(at: nil, system: path) == ["port": "4321"])
        let named = try directory.file("named.json", #"{"port": 1}"#)
        #expect(try SettingsFile.values(at: named, system: path) == ["port": "1"])
        #expect(try SettingsFile.values(at: nil, system: directory.path + "/none") == [:])
    }

    @Test func remoteSettingsSayWhatIsMissing() throws {
        let failure = #expect(throws: Failure.self) {
            try RemoteSettings(
                flags: [Settings.container.key: "iCloud.x"], scope: .public, zone: nil, environment: [:])
        }
        #expect(failure?.remedy?.contains("stratus token create --container iCloud.x") == true)
        let environment = ["STRATUS_CONTAINER": "iCloud.x", "STRATUS_API_TOKEN": "t"]
        #expect(
            try RemoteSettings(flags: [:], scope: .public, zone: nil, environment: environment).apiToken
                == "t")
        #expect(throws: Failure.self) {
            try RemoteSettings(flags: [:], scope: .private, zone: nil, environment: environment)
        }
        #expect(throws: Failure.self) {
            try RemoteSettings(
                flags: [Settings.url.key: "ftp://x"], scope: .public, zone: nil, environment: environment)
        }
    }

    @Test func aMissingContainerIsSaidPlainly() throws {
        let failure = #expect(throws: Failure.self) {
            try RemoteSettings(flags: [:], scope: .public, zone: nil, environment: [:])
        }
        #expect(failure?.sentence == "No container was given.")
        #expect(failure?.remedy == "Set --container iCloud.com.example.app, or STRATUS_CONTAINER.")
    }

    @Test func theSecretStays() throws {
        let directory = try TemporaryDirectory()
        let first = try ServerSecret.key(in: directory.path)
        #expect(first.count == 32)
        #expect(try ServerSecret.key(in: directory.path) == first)
        #expect(throws: Failure.self) {
            try ServerSettings(
                SettingsLayers(flags: [:], environment: ["STRATUS_SECRET": "short"], file: [:]))
        }
    }
}
