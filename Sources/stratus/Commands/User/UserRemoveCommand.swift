import ArgumentParser
import RecordEngine
import RecordModel
import RecordStorage

/// `stratus user remove`
struct UserRemoveCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a user whom you added, and the user's private records.",
        discussion: """
            Tokens, keys and subscriptions of the user end, in a running server within five seconds. Whoever has an account goes \
            with it: stratus account remove.

            EXAMPLE
              stratus user remove ada --container iCloud.com.example.app
            """)

    @Argument(help: "The user, by name or record name.")
    var user: String

    @Option(help: PublicRecordsOption.removalHelp)
    var publicRecords: String?

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let publicRecords = try PublicRecordsOption.value(publicRecords)
        let report = try await data.withStore { store in
            let removed = try await Removal.noted("user.remove", user, tenant) {
                try await Users.remove(
                    user, from: tenant, publicRecords: publicRecords, now: Clock.milliseconds,
                    store: AuditedStore(store))
            }
            return try await Removal.erase([removed], in: store)
        }
        report.tell(output)
    }
}

/// What commands that remove somebody have in common.
enum Removal {
    /// Does something with its note in the audit log.
    static func noted<Value>(
        _ action: String, _ subject: String, _ tenant: Tenant?, _ deed: () async throws -> Value
    ) async throws -> Value {
        let note = AuditedAction { _ in
            AuditRow(
                at: Clock.milliseconds, operatorName: "command line", action: action, tenant: tenant,
                subject: String(subject.prefix(500)), requestID: "")
        }
        return try await AuditedAction.$current.withValue(note, operation: deed)
    }

    /// Removes the records of users who are gone. A server on the same store does so too; either goes on where the other
    /// was stopped.
    static func erase(_ users: [UserRow], in store: any RecordStore) async throws -> Erasures.Report {
        var sum = Erasures.Report()
        for row in try await Erasures.waiting(in: store)
        where users.contains(where: { $0.recordName == row.user && $0.tenant == row.tenant }) {
            let report = try await Erasures.run(row, in: store, now: { Clock.milliseconds })
            sum.removed += report.removed
            sum.unnamed += report.unnamed
            sum.refused += report.refused
        }
        return sum
    }
}

extension Erasures.Report {
    private static func count(_ count: Int, _ noun: String) -> String {
        "\(Format.grouped(count)) \(noun)\(count == 1 ? "" : "s")"
    }

    /// Tells what was done.
    func tell(_ output: OutputOptions) {
        guard output.json else {
            return Console.standard.note(
                "Removed, with \(Self.count(removed, "record")); \(Self.count(unnamed, "public record")) stayed without the name. Files that nobody uses any more go with the next sweep."
            )
        }
        Console.standard.line(
            json: Array("{\"removed\":true,\"removedRecords\":\(removed),\"unnamedRecords\":\(unnamed)}".utf8)
        )
    }
}
