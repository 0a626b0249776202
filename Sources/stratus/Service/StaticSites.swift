import Foundation
import RecordConsole
import RecordServer

/// The folders of files that a server shows beside the protocol.
enum StaticSites {
    /// The sites of apps and of the operator's own folder.
    ///
    /// - Throws: a ``Failure`` when the operator's path is not a folder.
    static func all(of settings: ServerSettings, apps: [AppFolder]) throws -> [any Site] {
        var sites = apps.map { StaticSite(name: "app", prefix: $0.prefix, folder: $0.directory) }
        if let directory = settings.siteDirectory {
            guard AppFolder.isDirectory(directory) else {
                throw Failure.usage(
                    "There is no folder \(directory) to serve.", remedy: "Make it, or leave --site out.")
            }
            sites.append(StaticSite(prefix: "", folder: directory))
        }
        return sites
    }
}

/// A web app among the examples: a folder with an `index.html`.
struct AppFolder: Sendable, Equatable {
    /// The name for people: the folder's.
    var name: String
    var directory: String

    /// Where it is served.
    var prefix: String { "/apps/" + name.lowercased() }

    /// The apps in a folder, by name. Names that would have to be encoded in an address are passed over.
    static func all(in folder: String) throws -> [AppFolder] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        return names.compactMap { name in
            let directory = folder + "/" + name
            guard name.wholeMatch(of: /[A-Za-z0-9-]+/) != nil, isDirectory(directory),
                FileManager.default.fileExists(atPath: directory + "/index.html")
            else { return nil }
            return AppFolder(name: name, directory: directory)
        }
    }

    /// How the start page leads there.
    var link: StartPage.Link {
        StartPage.Link(title: name, href: prefix + "/", text: Self.texts[name] ?? "A web app of this server.")
    }

    /// How the start page leads to the app that is a program of its own.
    static func courses(at address: String) -> StartPage.Link {
        StartPage.Link(title: "Courses", href: address, text: texts["Courses"] ?? "")
    }

    /// What one finds in the examples.
    private static let texts = [
        "Players": "Find people to play with: a list without end, likes, favourites, posts.",
        "Discover": "Restaurants with photos, the newest first, readable offline.",
        "Courses": "Lessons in Core Data, live in every window.",
    ]

    static func isDirectory(_ path: String) -> Bool {
        var isDirectory = ObjCBool(false)
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            && isDirectory.boolValue
    }
}
