import Foundation
import RecordModel
import SignInClient
import TestSeeds
import Testing

@testable import stratus

/// The file of 'stratus login'.
@Suite struct CredentialFileTests {
    private static func login(_ host: String, token: String = "t") throws -> CredentialFile.Login {
        CredentialFile.Login(
            url: try #require(URL(string: "https://\(host)/")),
            tenant: Tenant(container: try ContainerID("iCloud.test"), environment: .development),
            apiToken: "a", webAuthToken: token, user: "_u")
    }

    private static func mode(_ path: String) throws -> Int {
        let facts = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(facts[.posixPermissions] as? NSNumber).intValue
    }

    @Test func `It is its user's alone, whatever the mask is, and refused otherwise`() throws {
        let home = try TemporaryDirectory()
        let file = try #require(CredentialFile(environment: ["XDG_CONFIG_HOME": home.path + "/config"]))
        let login = try Self.login("one")
        let url = try #require(URL(string: "https://one"))
        #expect(try file.login(to: url, login.tenant) == nil)
        try file.keep(login)
        #expect(try file.login(to: url, login.tenant) == login)
        #expect(try Self.mode(file.path) == 0o600)
        #expect(try Self.mode(home.path + "/config/stratus") == 0o700)
        try file.renew("another", with: "stolen")
        #expect(try file.login(to: url, login.tenant)?.webAuthToken == "t")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        #expect(throws: SignInProblem.self) { try file.login(to: url, login.tenant) }
        #expect(throws: SignInProblem.self) { try file.keep(login) }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        try file.forget(url, login.tenant)
        #expect(try file.login(to: url, login.tenant) == nil)
        #expect(try Data(contentsOf: URL(filePath: file.path)) == Data(#"{"logins":[]}"#.utf8))
    }

    @Test func `Commands that renew tokens at once lose none`() async throws {
        let home = try TemporaryDirectory()
        let file = try #require(CredentialFile(environment: ["HOME": home.path]))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for host in 0..<8 {
                group.addTask {
                    try file.keep(try Self.login("host\(host)", token: "\(host)-0"))
                    for turn in 0..<8 { try file.renew("\(host)-\(turn)", with: "\(host)-\(turn + 1)") }
                }
            }
            try await group.waitForAll()
        }
        for host in 0..<8 {
            let login = try Self.login("host\(host)", token: "\(host)-8")
            let url = try #require(URL(string: login.url))
            #expect(try file.login(to: url, login.tenant) == login)
        }
    }
}
