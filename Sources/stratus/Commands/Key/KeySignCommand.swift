import ArgumentParser
import Crypto
import Foundation
import RecordEngine
import RecordImport
import RecordModel
import RecordWire

/// `stratus key sign`
struct KeySignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Print a signed request as a curl command.",
        discussion: """
            The signature is good for ten minutes, and once.

            EXAMPLE
              stratus key sign records/query '{"query":{"recordType":"Post"}}' --private-key eckey.pem \\
                --container iCloud.com.example.app | sh
            """)

    @Argument(help: "The endpoint: records/query, records/modify, users/caller and so on.")
    var endpoint: String

    @Argument(help: "The body, as JSON. Default: none.")
    var body: String?

    @Option(help: ArgumentHelp("The private half of the key, as PEM.", valueName: "file"))
    var privateKey: String

    @Option(Settings.url) var url: String?
    @OptionGroup var tenant: TenantOptions

    func run() async throws {
        let flags = tenant.flags.merging([Settings.url.key: url]) { $1 }
        let layers = try SettingsLayers.standard(flags: flags)
        let tenant = try layers.tenant()
        guard let endpoint = Endpoint(rawValue: endpoint) else {
            throw Failure.usage(
                "There is no endpoint '\(endpoint)'.",
                remedy: "It is one of \(Endpoint.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        // Whatever the reason is, the sentence names the file.
        guard let pem = try? String(contentsOfFile: privateKey, encoding: .utf8),
            let key = try? P256.Signing.PrivateKey(pemRepresentation: pem)
        else {
            throw Failure.usage(
                "The file \(privateKey) has no private P-256 key as PEM.",
                remedy: "Make one with 'stratus key create --out', or with openssl.")
        }
        let server = try layers.value(of: Settings.url).absoluteString
        let path = endpoint.path(
            container: tenant.container.rawValue, environment: tenant.environment, scope: .public)
        let now = Clock.milliseconds / 1_000 * 1_000
        let bytes = Array((body ?? "").utf8)
        let headers = try RequestSigning.sign(path, body: bytes, date: ISOTime.text(now), with: key)
        let base = server.hasSuffix("/") ? String(server.dropLast()) : server
        var words = ["curl", "-sS", ShellWord.quoted(base + path)]
        for (name, value) in [
            ("KeyID", headers.keyID), ("ISO8601Date", headers.date), ("SignatureV1", headers.signature),
        ] {
            words += ["-H", ShellWord.inQuotes("X-Apple-CloudKit-Request-\(name): \(value)")]
        }
        if let body {
            words += ["-H", "'Content-Type: application/json'", "--data-binary", ShellWord.inQuotes(body)]
        } else if !endpoint.allowsGET {
            words += ["-X", "POST"]
        }
        Console.standard.line(words.joined(separator: " "))
    }
}
