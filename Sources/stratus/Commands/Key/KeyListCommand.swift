import ArgumentParser
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// `stratus key list`
struct KeyListCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the keys of a container, the newest first, and when each was last used.",
        discussion: "EXAMPLE\n  stratus key list --container iCloud.com.example.app")

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let (keys, users) = try await data.withStore { store in
            (
                try await ServerKeys.all(of: tenant, store: store),
                try await store.read(.short) { try $0.users(of: tenant) }
            )
        }
        let console = Console.standard
        if output.json {
            let json = JSONWriter.text { writer in
                writer.beginArray()
                for key in keys {
                    writer.beginObject()
                    writer.member("keyID", key.digest.hex)
                    writer.keyMembers(key.row)
                    writer.endObject()
                }
                writer.endArray()
            }
            return console.line(json: json)
        }
        guard !keys.isEmpty else {
            return console.note(
                hints.completing("\(tenant) has no keys; 'stratus key create' makes one."))
        }
        let names = Dictionary(
            users.map { ($0.recordName, $0.label) }, uniquingKeysWith: { first, _ in first })
        let rows = keys.map { key in
            [
                key.row.label, key.digest.hex, key.row.user.map { names[$0] ?? $0 } ?? "",
                Format.time(key.row.createdAt), key.row.usedAt.map(Format.time) ?? "never",
            ]
        }
        let titles = ["NAME", "KEY ID", "ACTS AS", "MADE", "LAST USED"]
        console.line(
            Table.text(titles.map { Table.Column(title: $0) }, rows: rows, width: console.tableWidth))
    }
}

/// `stratus key revoke`
struct KeyRevokeCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "End a key.",
        discussion: "EXAMPLE\n  stratus key revoke 3f9a1c20be77… --container iCloud.com.example.app")

    @Argument(help: "The key's id.")
    var key: String

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let found = try await data.withStore { try await ServerKeys.revoke(key, of: tenant, store: $0) }
        guard output.json else {
            return Console.standard.note("Revoked. A running server may accept it for five more seconds.")
        }
        let json = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("revoked", true)
            writer.member("keyID", found.digest.hex)
            writer.keyMembers(found.row)
            writer.endObject()
        }
        Console.standard.line(json: json)
    }
}
