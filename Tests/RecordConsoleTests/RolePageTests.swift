import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import Testing

/// Operators give and take security roles on the page of users.
@Suite struct RolePageTests {
    @Test func `A role is given and taken, and both are in the audit log`() async throws {
        try await ConsoleFixture.with { console in
            let tenant = try ConsoleFixture.tenant()
            try await console.store.write { store in
                try store.setRoles(["Editor & Co"], tenant: tenant)
                try store.insert(UserRow(tenant: tenant, recordName: "_a", label: "ada", createdAt: 1))
            }
            let browser = try await console.signedIn()
            let base = "/console/c/iCloud.test/development"
            let csrf = try await browser.get("/console/").csrf
            #expect(try await browser.get(base + "/users").text.contains(">Editor &amp; Co</option>"))
            let form = ["user": "_a", "role": "Editor & Co", "csrf": csrf]
            #expect(try await browser.post(base + "/roles/give", form).status == 303)
            func roles() async throws -> [String]? {
                try await console.store.read(.short) { try $0.user(named: "_a", of: tenant)?.roles }
            }
            #expect(try await roles() == ["Editor & Co"])
            #expect(
                try await browser.get(base + "/users").text.contains("Take the role Editor &amp; Co from ada")
            )
            #expect(try await browser.post(base + "/roles/take", form).status == 303)
            #expect(try await roles() == [])
            let audit = try await console.store.read(.short) { try $0.audit(before: nil, limit: 9) }
            #expect(
                audit.map(\.action).filter { $0.hasPrefix("role.") } == ["role.take", "role.give"])
            let wrong = try await browser.post(
                base + "/roles/give", ["user": "_a", "role": "Nope", "csrf": csrf])
            #expect(wrong.status == 404)
            #expect(try await roles() == [])
        }
    }

    @Test func `A user is disabled and enabled by a button, and both are in the audit log`() async throws {
        try await ConsoleFixture.with { console in
            let tenant = try ConsoleFixture.tenant()
            try await console.store.write { store in
                try store.insert(UserRow(tenant: tenant, recordName: "_a", label: "ada", createdAt: 1))
            }
            let browser = try await console.signedIn()
            let base = "/console/c/iCloud.test/development"
            let csrf = try await browser.get("/console/").csrf
            func isDisabled() async throws -> Bool? {
                try await console.store.read(.short) { try $0.user(named: "_a", of: tenant)?.isDisabled }
            }
            #expect(try await browser.get(base + "/users").text.contains("Disable ada"))
            let shut = ["wanted": "yes", "csrf": csrf]
            #expect(try await browser.post(base + "/users/_a/disabled", shut).status == 303)
            #expect(try await isDisabled() == true)
            #expect(try await browser.get(base + "/users").text.contains("Enable ada"))
            let open = ["wanted": "", "csrf": csrf]
            #expect(try await browser.post(base + "/users/_a/disabled", open).status == 303)
            #expect(try await isDisabled() == false)
            let audit = try await console.store.read(.short) { try $0.audit(before: nil, limit: 9) }
            #expect(
                audit.map(\.action).filter { $0.hasPrefix("user.") } == ["user.enable", "user.disable"])
        }
    }
}
