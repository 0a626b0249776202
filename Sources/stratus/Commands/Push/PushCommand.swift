import ArgumentParser
import Foundation
import RecordEngine
import RecordWire

/// `stratus push`
struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Set the key that pushes to Apple's service are signed with.",
        discussion: """
            With a key, apps register their device's token (tokens/register), and what their users' subscriptions tell \
            is pushed to them. Browsers need none of it. Documentation/Push.md has more.
            """,
        subcommands: [PushSetCommand.self, PushShowCommand.self, PushRemoveCommand.self])
}

/// `stratus push set`
struct PushSetCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Store the key of a container for Apple's push service.",
        discussion: """
            The key is made in the developer account (Keys, Apple Push Notifications service). It is kept in the data \
            directory, in the place of a former one; a running server uses it from the next push on.

            EXAMPLE
              stratus push set AuthKey_ABC123DEFG.p8 --team DEF123GHIJ --key-id ABC123DEFG --topic com.example.app \
            --container iCloud.com.example.app
            """)

    @Argument(help: "The file with the private key; '-' for standard input.")
    var file: String

    @Option(help: ArgumentHelp("The team's id of the developer account.", valueName: "id"))
    var team: String

    @Option(help: ArgumentHelp("The key's id.", valueName: "id"))
    var keyID: String

    @Option(help: ArgumentHelp("The app's bundle identifier.", valueName: "name"))
    var topic: String

    @Option(
        help: ArgumentHelp(
            "Where pushes go instead of Apple's hosts, for proxies and tests.", valueName: "address"))
    var server: String?

    @Option(
        help: ArgumentHelp("A PEM file with certificates to trust there.", valueName: "file"))
    var serverCertificates: String?

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    /// A key has some 250 bytes.
    private static let longestKey = 10_000

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let handle = file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: file)
        guard let bytes = try handle?.read(upToCount: Self.longestKey) else {
            throw Failure("The file '\(file)' cannot be read.", remedy: "Name the .p8 file.")
        }
        let key = try PushKey(
            pem: String(decoding: bytes, as: UTF8.self), teamID: team, keyID: keyID, topic: topic,
            server: server, certificates: serverCertificates)
        try await data.withStore { try await key.store(for: tenant, in: $0) }
        guard output.json else {
            return Console.standard.note("Pushes of \(tenant) go out with the key \(keyID) from now on.")
        }
        Console.standard.line(json: JSONWriter.text { key.write(to: &$0) })
    }
}

/// `stratus push show`
struct PushShowCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show which key a container's pushes are signed with.",
        discussion: "EXAMPLE\n  stratus push show --container iCloud.com.example.app")

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let key = try await data.withStore { try await PushKey.find(of: tenant, in: $0) }
        if output.json {
            return Console.standard.line(
                json: JSONWriter.text { writer in if let key { key.write(to: &writer) } else { writer.null() }
                })
        }
        guard let key else {
            return Console.standard.note(
                hints.completing("\(tenant) has no key; 'stratus push set' stores one."))
        }
        Console.standard.line(
            "key \(key.keyID) of team \(key.teamID), topic \(key.topic)\(key.server.map { ", to \($0)" } ?? "")"
        )
    }
}

/// `stratus push remove`
struct PushRemoveCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget a container's key; its devices stay registered and wait.",
        discussion: "EXAMPLE\n  stratus push remove --container iCloud.com.example.app")

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        try await data.withStore { try await PushKey.remove(of: tenant, in: $0) }
        guard output.json else { return Console.standard.note("Removed.") }
        Console.standard.line(json: Array("{\"removed\":true}".utf8))
    }
}

extension PushKey {
    /// Writes what is not a secret.
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("keyID", keyID)
        writer.member("teamID", teamID)
        writer.member("topic", topic)
        writer.member("server", server)
        writer.endObject()
    }
}
