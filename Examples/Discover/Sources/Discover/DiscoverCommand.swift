import ArgumentParser
import CloudKit
import Foundation

/// The commands.
@main
struct DiscoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover",
        abstract: "A restaurant guide: yours in Core Data, everybody's in the cloud.",
        discussion: "Without options it speaks to 'stratus demo' on this machine.",
        subcommands: [List.self, Add.self, Favourites.self, Sync.self], defaultSubcommand: List.self)
}

/// Where the cloud and the store are. The tokens are those that every 'stratus demo' has.
struct Settings: ParsableArguments {
    @Option(help: "The address of the service.")
    var url = "http://127.0.0.1:8080"
    @Option(help: "The container.")
    var container = "iCloud.stratus.demo"
    @Option(help: "The app's token.")
    var token = "2dfe931348cbd9d5ab2b0d7d3557dd7732fd10f0d537e1ab43ca61c938ee8e65"
    @Option(help: "The user's token.")
    var user = "2ac0014560f668d33f5b50c288b89e16a1239d2174d21a087ef08bdfad4ad640"
    @Option(help: "The Core Data store of your own restaurants.")
    var store = "discover.sqlite"

    var database: CKDatabase {
        get throws {
            guard let url = URL(string: url), url.host != nil else {
                throw ValidationError("'\(url)' is not an address.")
            }
            return CKContainer(
                identifier: container,
                configuration: .init(url: url, apiToken: token, webAuthToken: user)
            ).publicCloudDatabase
        }
    }

    var guide: Guide {
        get async throws { try await Guide(store: URL(fileURLWithPath: store), database: database) }
    }
}

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the newest restaurants: their names at once, then photo after photo.")

    @OptionGroup var settings: Settings
    @Option(help: "How many.")
    var limit = 10
    @Option(help: "The folder that photos are put in.")
    var photos = "photos"

    func run() async throws {
        let database = try settings.database
        let restaurants = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<[CKRecord], any Error>) in
            fetchRestaurants(from: database, limit: limit) { restaurants, error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: restaurants)
                }
            }
        }
        for restaurant in restaurants {
            let fields = ["name", "type", "location"].map { restaurant.object(forKey: $0) as? String ?? "" }
            say("\(fields[0])  (\(fields[1]))  \(fields[2])")
        }
        for restaurant in restaurants {
            let name = restaurant.object(forKey: "name") as? String ?? ""
            let image = try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<CKAsset?, any Error>) in
                fetchImage(of: restaurant, from: database, progress: { show(name, $0) }) { image, error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else {
                        continuation.resume(returning: image)
                    }
                }
            }
            if let file = image?.fileURL { say("\(name): \(try keep(file, of: restaurant))") }
        }
    }

    /// Copies a photo, whose own file goes with its asset.
    private func keep(_ file: URL, of restaurant: CKRecord) throws -> String {
        let folder = URL(fileURLWithPath: photos, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let copy = folder.appendingPathComponent(restaurant.recordID.recordName + ".jpg")
        let data = try Data(contentsOf: file)
        try data.write(to: copy)
        return "\(copy.relativePath), \(data.count) bytes"
    }
}

struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Add a restaurant, here and in the cloud.",
        discussion: "Without a network it stays here, and 'discover sync' brings it to the cloud later.")

    @OptionGroup var settings: Settings
    @Option var name: String
    @Option var type: String
    @Option var location: String
    @Option(help: "A picture: JPEG, PNG, WebP or GIF.")
    var photo: String?

    func run() async throws {
        let guide = try await settings.guide
        try await guide.add(
            name: name, type: type, location: location, photo: photo.map { URL(fileURLWithPath: $0) })
        say("\(name) is saved here.")
        try await guide.upload(progress: show)
    }
}

struct Favourites: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show the restaurants that you added.")

    @OptionGroup var settings: Settings

    func run() async throws {
        for restaurant in try await settings.guide.restaurants() {
            say(
                "\(restaurant.name), \(restaurant.location)"
                    + (restaurant.isUploaded ? "" : "  (not uploaded yet)"))
        }
    }
}

struct Sync: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Upload what could not be uploaded before.")

    @OptionGroup var settings: Settings

    func run() async throws { try await settings.guide.upload(progress: show) }
}

/// Shows how much of a photo has moved, in place on a terminal.
@Sendable func show(_ name: String, _ fraction: Double) {
    guard isatty(1) != 0 else { return }
    let end = fraction == 1 ? "\n" : ""
    FileHandle.standardOutput.write(Data("\r\(name): \(Int(fraction * 100)) %\(end)".utf8))
}

func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
