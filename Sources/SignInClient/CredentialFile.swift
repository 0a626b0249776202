public import Foundation
public import RecordModel
internal import RecordWire

// Owns `stat` in the eyes of the compiler where FoundationEssentials was loaded before, as jwt-kit does.
#if canImport(Glibc)
internal import CoreFoundation
#endif

/// The file in which programs keep the tokens of who signed in, for its user's eyes only: `stratus login`, and apps with
/// `StratusAccount`.
///
/// It is `stratus/credentials.json` below `XDG_CONFIG_HOME` or `~/.config`, with mode 0600. Programs that renew a token at
/// once take turns, by a lock on a file beside it; a reader sees the old content or the new one, whole.
public struct CredentialFile: Sendable {
    /// A sign-in to one container of a server.
    public struct Login: Sendable, Equatable {
        /// The address of the server, without a `/` at its end.
        public var url: String
        /// The container and the environment.
        public var tenant: Tenant
        /// What names the app.
        public var apiToken: String
        /// What names the user; each answer may bring the next one.
        public var webAuthToken: String
        /// The user's record name.
        public var user: String

        /// Makes an entry.
        public init(url: URL, tenant: Tenant, apiToken: String, webAuthToken: String, user: String) {
            self.url = Self.plain(url)
            self.tenant = tenant
            self.apiToken = apiToken
            self.webAuthToken = webAuthToken
            self.user = user
        }

        fileprivate init?(_ json: JSONObject) {
            guard let url = json["url"]?.string, let container = json["container"]?.string,
                let environment = json["environment"]?.string, let apiToken = json["apiToken"]?.string,
                let webAuthToken = json["webAuthToken"]?.string, let user = json["user"]?.string,
                let id = try? ContainerID(container), let world = CloudEnvironment(rawValue: environment)
            else { return nil }
            self.url = url
            tenant = Tenant(container: id, environment: world)
            self.apiToken = apiToken
            self.webAuthToken = webAuthToken
            self.user = user
        }

        fileprivate static func plain(_ url: URL) -> String {
            let text = url.absoluteString
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        }

        fileprivate func isFor(_ url: URL, _ tenant: Tenant) -> Bool {
            self.url == Self.plain(url) && self.tenant == tenant
        }
    }

    /// Where it is.
    public let path: String

    /// The file of a user; nil where nothing says where the user's files are.
    public init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            path = folder + "/stratus/credentials.json"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            path = home + "/.config/stratus/credentials.json"
        } else {
            return nil
        }
    }

    /// The sign-in to a container; nil where there is none.
    ///
    /// - Throws: a ``SignInProblem`` where others may read the file.
    public func login(to url: URL, _ tenant: Tenant) throws -> Login? {
        try logins().first { $0.isFor(url, tenant) }
    }

    /// Names a file of one's own.
    public init(path: String) { self.path = path }

    /// What changes with the file's content; nil while there is none.
    public var version: [Int]? {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        #if canImport(Darwin)
        let time = facts.st_mtimespec
        #else
        let time = facts.st_mtim
        #endif
        return [Int(facts.st_ino), Int(time.tv_sec), Int(time.tv_nsec), Int(facts.st_size)]
    }

    /// Keeps a sign-in, in the place of the one to the same container.
    ///
    /// - Throws: a ``SignInProblem`` where the file cannot be read or written.
    public func keep(_ login: Login) throws {
        try change { logins in
            logins.removeAll { $0.url == login.url && $0.tenant == login.tenant }
            logins.append(login)
        }
    }

    /// Takes over a user's next token.
    ///
    /// - Parameter old: the one before; where another program has replaced it, or signed out, nothing is done.
    /// - Throws: a ``SignInProblem`` where the file cannot be read or written.
    public func renew(_ old: String, with new: String) throws {
        try change { logins in
            for index in logins.indices where logins[index].webAuthToken == old {
                logins[index].webAuthToken = new
            }
        }
    }

    /// Forgets a sign-in.
    ///
    /// - Throws: a ``SignInProblem`` where the file cannot be read or written.
    public func forget(_ url: URL, _ tenant: Tenant) throws {
        try change { $0.removeAll { $0.isFor(url, tenant) } }
    }

    private func logins() throws -> [Login] {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return [] }
        guard facts.st_mode & 0o077 == 0 else {
            throw SignInProblem(
                .file, "Other users can read \(path), which has your tokens.",
                remedy: "Run: chmod 600 '\(path)'")
        }
        guard let data = FileManager.default.contents(atPath: path),
            let rows = try? JSONReader.read(Array(data)).object?.objects("logins")
        else {
            throw SignInProblem(
                .file, "\(path) cannot be read.", remedy: "Remove it, and sign in again.")
        }
        return rows.compactMap { Login($0) }
    }

    private func change(_ edit: (inout [Login]) -> Void) throws {
        let folder = (path as NSString).deletingLastPathComponent
        // Where there is no folder, the lock below cannot be made, which is thrown.
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let lock = open(path + ".lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw unwritable }
        defer { close(lock) }
        var logins = try logins()
        edit(&logins)
        let bytes = JSONWriter.text { writer in
            writer.beginObject()
            writer.key("logins")
            writer.beginArray()
            for login in logins {
                writer.beginObject()
                writer.member("url", login.url)
                writer.member("container", login.tenant.container.rawValue)
                writer.member("environment", login.tenant.environment.rawValue)
                writer.member("apiToken", login.apiToken)
                writer.member("webAuthToken", login.webAuthToken)
                writer.member("user", login.user)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
        // The mode is that of the new file from its first byte on.
        // A link of one's own leads to the file that is written.
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let draft = target + ".new"
        // Only an ordinary file is replaced: where something else stays, a line below fails, which is thrown.
        if Self.isOrdinaryOrMissing(draft) { unlink(draft) }
        guard Self.isOrdinaryOrMissing(target) else { throw unwritable }
        let file = open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw unwritable }
        defer { close(file) }
        guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0, rename(draft, target) == 0
        else {
            throw unwritable
        }
    }

    private static func isOrdinaryOrMissing(_ path: String) -> Bool {
        var facts = stat()
        return lstat(path, &facts) != 0 || facts.st_mode & S_IFMT == S_IFREG
    }

    private var unwritable: SignInProblem {
        SignInProblem(.file, "\(path) cannot be written.", remedy: "Make its folder one of yours.")
    }
}
