import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import RecordStorageSQLite
import TestSeeds
import Testing

@testable import stratus

/// What the doctor says of who can come in to a public server.
@Suite struct PublicAccessTests {
    private static func settings(_ flags: [SettingKey: String?] = [:]) throws -> ServerSettings {
        let url: [SettingKey: String?] = [Settings.publicURL.key: "https://records.example.org"]
        return try ServerSettings(
            SettingsLayers(flags: url.merging(flags) { $1 }, environment: [:], file: [:]))
    }

    /// The severities by the checks.
    private static func found(
        _ facts: PublicAccessInspection.Facts, _ settings: ServerSettings
    ) -> [String: StoreFinding.Severity] {
        let findings = PublicAccessInspection(settings: settings, facts: facts).findings()
        return Dictionary(findings.map { ($0.check, $0.severity) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func `A server that only this machine reaches is told nothing`() throws {
        let settings = try ServerSettings(SettingsLayers(flags: [:], environment: [:], file: [:]))
        #expect(Self.found(PublicAccessInspection.Facts(), settings).isEmpty)
    }

    @Test func `What is as it should be is said, and what is not there is not`() throws {
        #expect(
            try Self.found(PublicAccessInspection.Facts(), Self.settings())
                == ["public-grants": .good, "public-rates": .good])
    }

    @Test func `Each lack is a warning of its own`() throws {
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .production)
        var facts = PublicAccessInspection.Facts()
        facts.openPages = [tenant]
        facts.operators = 1
        facts.operatorsWithoutStep = ["ada"]
        facts.worldTypes = ["Post of iCloud.test"]
        facts.hasEncryptedFields = true
        let open = try Self.settings([
            Settings.webhookTargets.key: "any", Settings.addressRate.key: "0",
        ])
        #expect(
            Self.found(facts, open) == [
                "public-mail": .warning, "public-second-step": .warning, "public-grants": .warning,
                "public-rates": .warning, "public-webhooks": .warning, "public-master-key": .warning,
            ])
        let shut = try Self.settings([
            Settings.mailServer.key: "smtps://user:0123456789@mail.example.org",
            Settings.operatorSecondStep.key: "required",
            Settings.masterKeyFile.key: "/etc/stratus/master.key",
        ])
        facts.worldTypes = []
        #expect(
            Self.found(facts, shut) == [
                "public-mail": .good, "public-second-step": .good, "public-grants": .good,
                "public-rates": .good, "public-master-key": .good,
            ])
        let beside = try Self.settings([
            Settings.data.key: "/srv/data", Settings.masterKeyFile.key: "/srv/data/master.key",
        ])
        #expect(Self.found(facts, beside)["public-master-key"] == .warning)
    }

    @Test func `The store says who signs up, who enters, and what everybody may write`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let container = try ContainerID("iCloud.test")
        let production = Tenant(container: container, environment: .production)
        let development = Tenant(container: container, environment: .development)
        try await store.write { store in
            for (name, grants) in [
                ("Note", [SecurityGrant(.read, to: "_world")]),
                ("Post", [SecurityGrant(.create, to: "_world")]),
            ] {
                for tenant in [production, development] {
                    let type = try store.makeType(named: name, tenant: tenant)
                    _ = try store.setAnnotations(systemIndexes: [:], grants: grants, of: type, tenant: tenant)
                }
            }
            try store.store(SignInPolicyRow(tenant: production, admission: .invited))
            try store.store(SignInPolicyRow(tenant: development))
            try store.insert(OperatorRow(name: "ada", createdAt: 0))
            try store.insert(OperatorRow(name: "bob", createdAt: 0))
            try store.insert(
                OperatorTokenRow(kind: .oneTimeCode, operatorName: "bob", createdAt: 0, expiresAt: nil),
                digest: [1])
        }
        await store.close()
        let facts = try #require(
            try StoreInspection.read(directory: directory.path) { try PublicAccessInspection.Facts($0) })
        #expect(facts.openPages == [production])
        #expect(facts.operators == 2 && facts.operatorsWithoutStep == ["ada"])
        #expect(facts.worldTypes == ["Post of iCloud.test"])
    }
}
