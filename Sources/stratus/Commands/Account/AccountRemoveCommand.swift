import ArgumentParser
import AssetStorageFiles
import Foundation
import NIOCore
import RecordEngine
import RecordModel
import RecordStorage
import RecordTransfer

/// `stratus account remove`
struct AccountRemoveCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an account, its users and their private records.",
        discussion: """
            The account goes in all containers at once; a running server lets nobody in with it after five seconds. Records follow \
            in slices, beside other writes; where the command is stopped, the server goes on.

            EXAMPLE
              stratus account remove ada@example.org
            """)

    @Argument(help: "The email address.")
    var address: String

    @Option(help: PublicRecordsOption.removalHelp)
    var publicRecords: String?

    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let publicRecords = try PublicRecordsOption.value(publicRecords)
        let report = try await data.withStore { store in
            let users = try await Removal.noted("account.remove", address, nil) {
                try await AccountList.remove(
                    address, publicRecords: publicRecords, now: Clock.milliseconds,
                    store: AuditedStore(store))
            }
            return try await Removal.erase(users, in: store)
        }
        report.tell(output)
    }
}

/// `stratus account export`
struct AccountExportCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all that is a person's into a ZIP archive.",
        discussion: """
            The archive is the one that people download on the page of their account: records, files and what is known of the \
            account (Documentation/Moving.md, 'An account as files').

            EXAMPLE
              stratus account export ada@example.org ada.zip
            """)

    @Argument(help: "The email address.")
    var address: String

    @Argument(help: "The file to create; it must not exist yet.")
    var file: String

    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        guard !FileManager.default.fileExists(atPath: file) else {
            throw Failure.usage("\(file) already exists.", remedy: "Name another file.")
        }
        let folder = try data.settings().dataDirectory + "/" + AssetPaths.folderName
        try await data.withStore { store in
            let account = try await AccountList.find(address, store: store)
            let archives = AccountArchives(
                store: store, assets: try FileAssetStore(directory: folder), now: { Clock.milliseconds })
            let archive = try archives.archive(of: account)
            // Nobody else reads what is one person's.
            let handle = try OutputFile.makePrivate(file)
            do {
                try await archive.write { try handle.write(contentsOf: Data($0.readableBytesView)) }
                try handle.synchronize()
                try handle.close()
            } catch {
                // Why the archive failed is worth more than that its beginning stays.
                try? FileManager.default.removeItem(atPath: file)
                throw error
            }
        }
        guard output.json else { return Console.standard.note("Written: \(file)") }
        Console.standard.line(json: Array("{\"written\":true}".utf8))
    }
}
