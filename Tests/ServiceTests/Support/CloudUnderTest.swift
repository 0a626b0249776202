import CloudKit
import CloudKitTesting
import Foundation
import RecordEngine
import RecordModel
import RecordServer
import Testing

/// The three ways to the same engine: in process, through the server's responder, over a socket.
enum CloudKind: String, CaseIterable, CustomTestStringConvertible {
    case engine, router, live

    var testDescription: String { rawValue }
}

/// Runs a scenario against a fresh cloud of a kind, and takes the cloud down whatever happens.
///
/// - Parameter likedType: a record type whose public records every user may change.
func withCloud(
    _ kind: CloudKind, likedType: String? = nil,
    _ scenario: (_ container: (String?) async throws -> CKContainer) async throws -> Void
) async throws {
    switch kind {
    case .engine:
        let cloud = try await TestCloud()
        do {
            if let likedType {
                try await cloud.grant(.write, to: SecurityGrant.signedInRole, onRecordType: likedType)
            }
            try await scenario { try await cloud.container(user: $0) }
        } catch {
            await cloud.close()
            throw error
        }
        await cloud.close()
    case .router:
        try await ServiceFixture.with { fixture in
            try await fixture.letUsersChange(likedType)
            try await scenario { try await fixture.container(user: $0, transport: fixture.routerTransport) }
        }
    case .live:
        try await ServiceFixture.with { fixture in
            try await fixture.letUsersChange(likedType)
            try await fixture.withServer { url in
                try await scenario {
                    try await fixture.container(user: $0, transport: HTTPTransport(url: url))
                }
            }
        }
    }
}
