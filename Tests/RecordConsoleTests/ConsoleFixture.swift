import AssetStorageFiles
import Foundation
import RecordConsole
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import RecordStorageSQLite
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A console on a real server over a store in a temporary directory.
struct ConsoleFixture: Sendable {
    let store: SQLiteStore
    let service: RecordService
    let url: URL
    let logPath: String
    let history: RequestHistory

    static let environment = ServiceEnvironment(
        now: { Int64(Date().timeIntervalSince1970 * 1_000) },
        random: { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } })

    /// The container that tests use.
    static func tenant() throws -> Tenant {
        Tenant(container: try ContainerID("iCloud.test"), environment: .development)
    }

    /// Runs a server while the body runs.
    static func with(
        settings: ConsoleSettings = ConsoleSettings(version: "test"),
        _ body: @Sendable (ConsoleFixture) async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory()
        let directory = folder.path
        let store = try SQLiteStore(directory: directory)
        let service = RecordService(
            store: store, secret: ServiceSecret(bytes: [UInt8](repeating: 7, count: 32)),
            environment: environment, assets: try FileAssetStore(directory: directory + "/assets"))
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let logPath = directory + "/requests.log"
        let history = RequestHistory()
        let sink = LogSink(descriptor: open(logPath, O_CREAT | O_WRONLY | O_APPEND, 0o600))
        let server = StratusServer(
            service: service, store: store, options: ServerOptions(port: 0, version: "test"),
            log: RequestLog(sink: sink, format: .json), history: history,
            sites: [
                try ConsoleSite(
                    service: service, store: store, environment: environment, history: history,
                    settings: settings)
            ],
            start: try StartPage(settings: settings, store: store), onRunning: { continuation.yield($0) })
        let running = Task { try await server.run() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        let result: Result<Void, any Error>
        do {
            let url = try #require(URL(string: "http://127.0.0.1:\(port)"))
            result = .success(
                try await body(
                    ConsoleFixture(
                        store: store, service: service, url: url, logPath: logPath, history: history)))
        } catch {
            result = .failure(error)
        }
        running.cancel()
        _ = await running.result
        await store.close()
        sink.close()
        try withExtendedLifetime(folder) { try result.get() }
    }

    /// A browser that has entered.
    func signedIn(as name: String = "ada") async throws -> Browser {
        let secret = try await Operators.add(name, to: store, environment: Self.environment)
        let browser = Browser(url: url)
        _ = try await browser.get("/console/sign-in")
        _ = try await browser.post("/console/sign-in", ["secret": secret])
        return browser
    }
}

/// As much of a browser as forms and cookies need.
final class Browser: @unchecked Sendable {  // A test uses it from one task.
    struct Page: Sendable {
        var status: Int
        var headers: [String: String]
        var text: String
        var location: String? { headers["location"] }
        /// The token that forms of the page carry.
        var csrf: String {
            text.firstMatch(of: /name="csrf" content="([0-9a-f]*)"/).map { String($0.1) } ?? ""
        }
    }

    private let url: URL
    private(set) var cookies: [String: String] = [:]
    private let connection: URLSession

    init(url: URL) {
        self.url = url
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        connection = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
    }

    func get(_ path: String, headers: [String: String] = [:]) async throws -> Page {
        try await send(path, "GET", nil, ["Accept": "text/html"].merging(headers) { $1 })
    }

    func post(_ path: String, _ form: [String: String], headers: [String: String] = [:]) async throws -> Page
    {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        func encoded(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        }
        let body = form.map { encoded($0.key) + "=" + encoded($0.value) }.joined(separator: "&")
        var headers = headers
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return try await send(path, "POST", Data(body.utf8), headers)
    }

    /// Posts bytes that are no form.
    func post(bytes: String, to path: String, headers: [String: String] = [:]) async throws -> Page {
        try await send(path, "POST", Data(bytes.utf8), headers)
    }

    /// Posts a form as browsers send one with files: texts in their order, then files.
    func post(
        multipart texts: [(String, String)], files: [(name: String, fileName: String, bytes: Data)] = [],
        to path: String
    ) async throws -> Page {
        let boundary = "----stratus\(UInt64.random(in: .min ... .max))"
        var body = Data()
        for (name, text) in texts {
            body.append(
                Data(
                    "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n"
                        .utf8))
        }
        for file in files {
            let headers =
                "Content-Disposition: form-data; name=\"\(file.name)\"; filename=\"\(file.fileName)\"\r\n"
                + "Content-Type: application/octet-stream\r\n\r\n"
            body.append(Data("--\(boundary)\r\n\(headers)".utf8))
            body.append(file.bytes)
            body.append(Data("\r\n".utf8))
        }
        body.append(Data("--\(boundary)--\r\n".utf8))
        return try await send(
            path, "POST", body, ["Content-Type": "multipart/form-data; boundary=\(boundary)"])
    }

    /// The cookie of the session, whose name tells the server's port.
    var sessionName: String { "stratus_session_\(url.port ?? 0)" }
    var session: String? { cookies[sessionName] }

    private func send(
        _ path: String, _ method: String, _ body: Data?, _ headers: [String: String]
    ) async throws -> Page {
        var request = URLRequest(url: try #require(URL(string: url.absoluteString + path)))
        request.httpMethod = method
        request.httpBody = body
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if !cookies.isEmpty {
            request.setValue(
                cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "), forHTTPHeaderField: "Cookie")
        }
        let (data, answer) = try await connection.data(for: request)
        let http = try #require(answer as? HTTPURLResponse)
        var found: [String: String] = [:]
        for (name, value) in http.allHeaderFields { found["\(name)".lowercased()] = "\(value)" }
        // Foundation joins several cookies with commas; their values here hold none.
        for cookie in (found["set-cookie"] ?? "").split(separator: ",") {
            let pair = cookie.split(separator: ";")[0].split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            let name = pair[0].trimmingCharacters(in: .whitespaces)
            cookies[name] = pair[1].isEmpty ? nil : String(pair[1])
        }
        return Page(
            status: http.statusCode, headers: found, text: String(decoding: data, as: UTF8.self))
    }

    private final class NoRedirects: NSObject, URLSessionTaskDelegate {
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) { completionHandler(nil) }
    }
}
