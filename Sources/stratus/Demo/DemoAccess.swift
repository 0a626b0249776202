import Crypto
import DemoData
import Foundation
import RecordEngine
import RecordModel
import RecordStorage

/// The container, the user and the tokens of the demo.
///
/// They are made from fixed texts, so that commands copied yesterday work today. Anybody can compute them: the demo is
/// for one's own machine, and says so.
enum DemoAccess {
    /// Where the demo lives.
    static func tenant() throws -> Tenant {
        Tenant(container: try ContainerID("iCloud.stratus.demo"), environment: .development)
    }

    /// The user by whom everything is written.
    static let userName = "demo"
    static let userRecordName = "_" + AccessToken.make(random: Array(digest("stratus demo user").prefix(16)))
    /// The tokens.
    static let apiToken = AccessToken.make(random: digest("stratus demo api token"))
    static let webAuthToken = AccessToken.make(random: digest("stratus demo web auth token"))

    /// Lets the demo's tokens in; what already exists stays.
    static func grant(in store: any RecordStore) async throws {
        let tenant = try tenant()
        let now = Clock.milliseconds
        try await store.write { store in
            if try !store.users(of: tenant).contains(where: { $0.recordName == userRecordName }) {
                try store.insert(
                    UserRow(tenant: tenant, recordName: userRecordName, label: userName, createdAt: now))
            }
            for (token, kind) in [(apiToken, TokenRow.Kind.api), (webAuthToken, .web)] {
                let digest = AccessToken.digest(token)
                guard try store.token(digest: digest) == nil else { continue }
                try store.insert(
                    TokenRow(
                        kind: kind, tenant: tenant, user: kind == .web ? userRecordName : nil, label: "demo",
                        createdAt: now, expiresAt: nil),
                    digest: digest)
            }
        }
    }

    /// Lets every user change the demo's records, since players like each other's profiles; what somebody changed about
    /// the permissions stays.
    static func grantWriting(in store: any RecordStore) async throws {
        let tenant = try tenant()
        let types = store.schema(of: tenant).types
        for kind in DemoData.Kind.allCases where types[kind.rawValue]?.grants == nil {
            try await SecurityRoles.grant(
                .write, to: SecurityGrant.signedInRole, ofTypeNamed: kind.rawValue, in: tenant, store: store)
        }
    }

    private static func digest(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }
}
