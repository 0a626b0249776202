import ArgumentParser
import Foundation
import RecordEngine
import RecordStorage
import RecordWire

/// `stratus key create`
struct KeyCreateCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a key, or take in the public half of one.",
        discussion: """
            Standard output holds the key's id and nothing else. The private half goes into the file that --out names, \
            which nobody else may read; it is not kept anywhere. With --public-key the pair is yours, made with openssl \
            for example, and only its public half is taken in.

            EXAMPLES
              stratus key create --name nightly --out eckey.pem --container iCloud.com.example.app
              openssl ecparam -name prime256v1 -genkey -noout -out eckey.pem
              openssl ec -in eckey.pem -pubout -out public.pem
              stratus key create --name nightly --public-key public.pem --container iCloud.com.example.app
            """)

    @Option(help: ArgumentHelp("What you call the key.", valueName: "text"))
    var name: String

    @Option(
        help: ArgumentHelp(
            "The user as whom the key acts, by name or record name. Default: a new user for this key.",
            valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp("Where the private half is written; a new file.", valueName: "file"))
    var out: String?

    @Option(help: ArgumentHelp("The public half of your own pair, as PEM.", valueName: "file"))
    var publicKey: String?

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (out == nil) != (publicKey == nil) else {
            throw ValidationError("Use either --out, to have a pair made, or --public-key.")
        }
    }

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let text = try publicKey.map { path in
            // Whatever the reason is, the sentence names the file.
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw Failure.usage("The file \(path) cannot be read.", remedy: "Name a file with PEM text.")
            }
            return text
        }
        // The file comes first: a key whose private half could not be written is useless.
        let file = try out.map { try Self.newFile($0) }
        let created = try await data.withStore { store in
            var owner: UserRow?
            if let user { owner = try await Users.find(user, in: tenant, store: store) }
            return try await ServerKeys.create(
                tenant: tenant, label: name, user: owner, publicKey: text, store: store, environment: .system)
        }
        if let file, let key = created.privateKey {
            try file.write(contentsOf: Data((key + "\n").utf8))
            try file.close()
        }
        let console = Console.standard
        guard output.json else {
            console.line(created.id)
            console.note(
                "The line above is the key's id, valid for \(tenant) until it is revoked."
                    + (out.map { " Its private half is in \($0)." } ?? ""))
            return
        }
        let json = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("keyID", created.id)
            writer.keyMembers(created.row)
            writer.endObject()
        }
        console.line(json: json)
    }

    /// Makes a file that nobody else may read; one that is there stays.
    private static func newFile(_ path: String) throws -> FileHandle {
        let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Failure.usage(
                "The file \(path) cannot be made: \(String(cString: strerror(errno))).",
                remedy: "Name a file that does not exist yet.")
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}
