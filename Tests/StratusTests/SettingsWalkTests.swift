import ArgumentParser
import Foundation
import RecordModel
import TestSeeds
import Testing

@testable import stratus

/// Walks all settings: what is declared once is true of the options, the environment, the settings file and the
/// documentation.
@Suite struct SettingsWalkTests {
    /// A value that each setting may have, and one that it may not; nil where every text is good.
    private static let values: [String: (good: String, bad: String?)] = [
        "config": ("f.json", nil), "data": ("/d", ""), "store": ("memory:", "mysql://u:hunter2@h/d"),
        "host": ("::1", "a b"), "port": ("9000", "70000"),
        "publicURL": ("https://h.example", "h.example"), "logLevel": ("debug", "loud"),
        "logFormat": ("json", "xml"), "publicWrites": ("users", "nobody"), "indexes": ("apple", "none"),
        "drainSeconds": ("3", "-1"), "trustedProxies": ("10.0.0.2,::1", "proxy.example"), "site": ("/s", nil),
        "tlsCertificate": ("/c.pem", ""), "tlsKey": ("/k.pem", ""), "redirectPort": ("80", "0"),
        "http2": ("off", "maybe"),
        "userQuota": ("500 MB", "much"), "containerQuota": ("2GiB", "0"),
        "addressRate": ("0", "-1"), "userRate": ("600", "many"), "tokenRate": ("9000", "1e3"),
        "backupTo": ("/b", ""), "backupEvery": ("6h", "5s"), "backupKeep": ("3", "0"),
        "archiveTo": ("s3://b-b/x", ""), "archiveKeep": ("7d", "5m"),
        "removedSchemaDays": ("7", "-1"),
        "mailServer": ("smtps://u:hunter2@h:465", "http://u:hunter2@h"), "mailCertificates": ("/c", ""),
        "mailFrom": ("Ada <ada@example.org>", "ada"), "webhookTargets": ("any", "some"),
        "operatorSecondStep": ("required", "always"),
        "passwordWords": ("acme,roadrunner", "a b,c"), "breachedPasswords": ("/p", ""),
        "masterKeyFile": ("/m", ""), "masterKey": ("0123456789abcdef0123456789abcdef", "hunter2"),
        "secret": ("0123456789abcdef0123456789abcdef", "hunter2"),
        "url": ("https://h.example", "ftp://h.example"), "container": ("iCloud.x", "a b"),
        "environment": ("production", "staging"), "apiToken": ("-token", nil),
        "webAuthToken": ("-token", nil),
    ]

    private static let inFile = Settings.all.filter { $0.places.contains(.file) }

    /// What a command line of a real command says.
    private func flags(_ key: SettingKey, _ value: String) throws -> [SettingKey: String?] {
        let flag = try #require(key.flag)
        if Settings.remote.contains(key) { return try RemoteOptions.parse([flag, value]).flags }
        // Only tokens may begin with a dash without being one word with their option.
        return try ServeCommand.parse(value.hasPrefix("-") ? ["\(flag)=\(value)"] : [flag, value]).flags
    }

    private func layers(_ key: SettingKey, _ value: String, in place: SettingsSource) throws -> SettingsLayers
    {
        switch place {
        case .flag: return try SettingsLayers(flags: flags(key, value), environment: [:], file: [:])
        case .environment:
            return SettingsLayers(flags: [:], environment: [key.environmentName: value], file: [:])
        case .file:
            let json = try JSONSerialization.data(withJSONObject: [key.name: value])
            return SettingsLayers(
                flags: [:], environment: [:], file: try SettingsFile.values(json: Array(json), name: "f"))
        case .default: return SettingsLayers(flags: [:], environment: [:], file: [:])
        }
    }

    /// What reads the setting in the end.
    private func use(_ key: SettingKey, _ layers: SettingsLayers) throws {
        if Settings.server.contains(key) { _ = try ServerSettings(layers) }
        if key == Settings.url.key { _ = try layers.value(of: Settings.url) }
        if key == Settings.container.key { _ = try layers.value(of: Settings.container) }
        if key == Settings.environment.key { _ = try layers.value(of: Settings.environment) }
    }

    @Test func `The walk knows every setting, and names are unique`() {
        #expect(Set(Self.values.keys) == Set(Settings.all.map(\.name)))
        for names in [
            Settings.all.map(\.name), Settings.all.compactMap(\.flag), Settings.all.map(\.environmentName),
        ] {
            #expect(Set(names).count == names.count)
        }
    }

    @Test(arguments: Settings.all) func `Each setting can be given wherever it may be`(key: SettingKey) throws
    {
        let value = try #require(Self.values[key.name]).good
        for place in key.places {
            let layers = try layers(key, value, in: place)
            let found = layers.effective(key)
            #expect(found.value == value && found.source == place, "\(key.name) from \(place)")
            try use(key, layers)
        }
    }

    @Test(arguments: Settings.all) func `What cannot be is the same error everywhere`(key: SettingKey) throws
    {
        guard let bad = try #require(Self.values[key.name]).bad else { return }
        // A variable without text counts as not given.
        let places = bad.isEmpty ? key.places.subtracting([.environment]) : key.places
        for place in places {
            let layers = try layers(key, bad, in: place)
            let failure = #expect(throws: Failure.self, "\(key.name) from \(place)") { try use(key, layers) }
            let what = key.isSecret ? "" : " is '\(bad)', but"
            #expect(
                failure?.sentence == "\(layers.effective(key).place)\(what) must be \(key.expected).")
            #expect(failure?.exitCode == Failure.usageCode)
            #expect(failure?.remedy?.isEmpty == false)
            #expect(failure?.description.contains("hunter2") == false)
        }
    }

    @Test func `Every default can be read`() throws {
        let layers = SettingsLayers(flags: [:], environment: [:], file: [:])
        for key in Settings.all where key.defaultValue != nil { try use(key, layers) }
        // Those whose default is in words have none as text.
        for key in Settings.all { #expect(layers.effective(key).value == key.defaultValue) }
    }

    @Test func `The help has every option of the table, and says what the table says`() throws {
        let serve = plain(ServeCommand.helpMessage())
        let query = plain(QueryCommand.helpMessage())
        for key in Settings.all {
            guard let flag = key.flag else {
                // An option is followed by its value's name.
                #expect(!serve.contains("--\(key.optionName)<"))
                continue
            }
            let help = Settings.remote.contains(key) ? query : serve
            let names = ([flag] + key.aliases.map { "--\($0)" }).joined(separator: ", ")
            #expect(help.contains(plain("\(names) <\(key.valueName)>")), "\(flag)")
            #expect(help.contains(plain(key.optionHelp)), "\(flag)")
        }
        for key in Settings.server { #expect(serve.contains(plain(key.environmentName))) }
    }

    /// The text without spaces: the parser breaks its lines.
    private func plain(_ text: String) -> String { text.filter { !$0.isWhitespace } }

    // MARK: The file

    @Test(arguments: [
        ("prot", "port"), ("publicUrl", "publicURL"), ("log-level", "logLevel"),
        ("STRATUS_DRAIN_SECONDS", "drainSeconds"), ("--site", "site"), ("trustedProxy", "trustedProxies"),
        ("apitoken", "apiToken"),
    ])
    func `An unknown member is an error that names the nearest one`(name: String, meant: String) {
        let failure = #expect(throws: Failure.self) {
            try SettingsFile.values(json: Array(#"{"\#(name)":"1"}"#.utf8), name: "f")
        }
        #expect(failure?.sentence == "The settings file f has the setting '\(name)', which does not exist.")
        #expect(failure?.remedy?.hasPrefix("Did you mean '\(meant)'? The settings are data, ") == true)
    }

    @Test(arguments: ["frobnicate", "config"])
    func `Where nothing is near, the error names them all`(name: String) {
        let failure = #expect(throws: Failure.self) {
            try SettingsFile.values(json: Array(#"{"\#(name)":"1"}"#.utf8), name: "f")
        }
        let names = Self.inFile.map(\.name).joined(separator: ", ")
        #expect(failure?.remedy?.hasSuffix("The settings are \(names).") == true)
    }

    @Test func `The file that --config names counts for every setting of the command`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.file(
            "s.json", #"{"container": "iCloud.x", "environment": "production", "data": "/there"}"#)
        let command = try TokenListCommand.parse(["--config", path])
        #expect(
            try command.tenant.tenant(command.data)
                == Tenant(container: ContainerID("iCloud.x"), environment: .production))
        #expect(try command.data.directory() == "/there")
        let deploy = try SchemaDeployCommand.parse(["--config", path])
        #expect(try deploy.container.containerID(deploy.data) == ContainerID("iCloud.x"))
    }

    // MARK: The documentation

    @Test func `The table in the documentation is that of the declarations`() throws {
        let page = try String(
            contentsOf: Checkout.file("Documentation/CommandLine.md"), encoding: .utf8)
        for (title, keys) in [
            ("server", [Settings.config.key] + Settings.server), ("client", Settings.remote),
        ] {
            let table = Self.table(of: keys)
            #expect(
                page.contains(table), "Documentation/CommandLine.md needs this table (\(title)):\n\(table)")
        }
    }

    private static func table(of keys: [SettingKey]) -> String {
        let rows = keys.map { key in
            let name = key.places.contains(.file) ? "`\(key.name)`" : ""
            let flag = key.flag.map { "`\($0)`" } ?? ""
            return "| \(name) | \(flag) | `\(key.environmentName)` | \(meaning(key)) |"
        }
        return "| in the file | option | variable | what it is, and its default |\n|---|---|---|---|\n"
            + rows.joined(separator: "\n") + "\n"
    }

    private static func meaning(_ key: SettingKey) -> String {
        let value = key.defaultMeaning ?? key.defaultValue.map { "`\($0)`" }
        return key.help + (value.map { " Default: \($0)." } ?? "")
    }

    @Test(arguments: [
        "Documentation/Deploy/README.md", "Documentation/Deploy/kubernetes.yaml",
        "scripts/package/deb/stratus.default", "scripts/package/oci.py", "Documentation/CommandLine.md",
        "Documentation/CloudKit.md", "README.md",
    ])
    func `Variables that are named elsewhere exist`(path: String) throws {
        let text = try String(contentsOf: Checkout.file(path), encoding: .utf8)
        let known = Set((Settings.all + [Settings.demoFiles.key]).map(\.environmentName))
        for match in text.matches(of: /STRATUS_[A-Z0-9_]+/) {
            #expect(known.contains(String(match.output)), "\(path) names \(match.output)")
        }
    }
}
