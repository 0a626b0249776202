import Crypto
import Foundation
import RecordModel
import RecordStorage
import Synchronization
import TestSupport

@testable import RecordEngine

/// Accounts over a cloud, with mails that stay and passwords that are stretched at once.
struct AccountGround {
    /// Stretches quickly, and counts.
    final class Stretcher: PasswordStretcher {
        private let times = Mutex(0)
        var count: Int { times.withLock { $0 } }

        func stretch(
            _ password: [UInt8], salt: [UInt8], cost: StretchingCost, for party: StretchingParty
        ) async throws -> [UInt8] {
            times.withLock { $0 += 1 }
            return Array(SHA256.hash(data: password + [0] + salt))
        }
    }

    /// Keeps mails.
    final class Post: AccountPost {
        private let kept = Mutex<[AccountMail]>([])
        var reachesPeople: Bool { true }
        var mails: [AccountMail] { kept.withLock { $0 } }
        func send(_ mail: AccountMail) async { kept.withLock { $0.append(mail) } }

        private let noted = Mutex<[String]>([])
        var failures: [String] { noted.withLock { $0 } }
        func noteFailure(_ error: any Error) { noted.withLock { $0.append("\(error)") } }

        /// The code of the last link to an address.
        func code(to address: String) -> String? {
            mails.last { $0.address.text == address && $0.link != nil }?.link.flatMap { link in
                link.split(separator: "/").last?.split(separator: "?").first.map(String.init)
            }
        }
    }

    let cloud: TestCloud
    let accounts: Accounts
    let stretcher = Stretcher()
    let post = Post()
    let tenant: Tenant

    init(_ cloud: TestCloud, refused: RefusedPasswords = RefusedPasswords()) {
        self.cloud = cloud
        tenant = Tenant(container: cloud.container, environment: .development)
        accounts = Accounts(
            store: cloud.store, secret: ServiceSecret(bytes: Array(repeating: 7, count: 32)),
            environment: ServiceEnvironment(
                now: { cloud.wait(milliseconds: 1) },
                random: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } }),
            stretcher: stretcher, post: post, refused: refused, authenticated: cloud.service)
    }

    func place(_ tenant: Tenant? = nil) -> Accounts.Place {
        Accounts.Place(
            tenant: tenant ?? self.tenant, apiToken: nil, language: "en", baseURL: "http://localhost")
    }

    static let client = Accounts.Client(address: "192.0.2.1", label: "Test")
    static let password = "a raven of 1845"

    func open(_ tenant: Tenant? = nil) async throws {
        _ = try await SignInPolicies.set(admission: .open, of: tenant ?? self.tenant, store: cloud.store)
    }

    /// Signs up by the mailed link.
    @discardableResult
    func signUp(
        _ address: String, password: String = password, in tenant: Tenant? = nil
    ) async throws -> (account: AccountRow, user: UserRow)? {
        guard let mail = MailAddress(address) else { return nil }
        try await accounts.mailLink(.signUp, to: mail, at: place(tenant))
        guard let code = post.code(to: mail.text) else { return nil }
        return try await accounts.choosePassword(password, by: code, at: place(tenant))
    }

    func signIn(
        _ address: String, password: String = password, in tenant: Tenant? = nil,
        from client: Accounts.Client = client
    ) async throws -> (account: AccountRow, user: UserRow) {
        try await accounts.signIn(address: address, password: password, at: place(tenant), client: client)
    }

    /// The code of the error that something ends with; nil where it does not.
    func code<Value>(_ work: () async throws -> Value) async -> String? {
        do {
            _ = try await work()
            return nil
        } catch {
            return ServiceError(describing: error).code.description
        }
    }
}
