import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
public import RecordEngine
import RecordModel
public import RecordServer
import RecordStorage
public import RecordTransfer

/// The pages on which people make accounts and sign in: `/sign-in/CONTAINER/ENVIRONMENT`.
///
/// Everything works without JavaScript but telling the page that opened the window. Forms carry a code that belongs to a
/// cookie, so that no other site's page can send them; where somebody is sent afterwards is what the operator said when
/// making the app's API token, never a part of the address.
public struct UserSignInSite: Site {
    public let name = "sign-in"
    public let prefix = "/sign-in"
    public let allowsOtherOrigins = false

    let accounts: Accounts
    /// Where people get what is theirs; nil where they do not.
    let archives: AccountArchives?
    /// What shows links to what is shared; nil where they are not opened here.
    let service: RecordService?
    let templates: Templates
    /// The names by which the pages may be asked; nil where the server's own address is known.
    private let hosts: TrustedHosts?

    /// Makes the pages.
    ///
    /// - Parameters:
    ///   - accounts: whose pages they are.
    ///   - archives: where people get what is theirs; nil where they do not.
    ///   - service: what shows links to what is shared; nil where they are not opened here.
    ///   - hosts: names and addresses, besides the one that a connection came in at, and those of loopback for requests of this
    ///     machine, by which the pages may be asked; nil where the server's address was set, and what requests name does not count.
    /// - Throws: `MustacheTemplate.ParserError` for a template that is broken, which a test finds.
    public init(
        accounts: Accounts, archives: AccountArchives? = nil, service: RecordService? = nil, hosts: [String]?
    ) throws {
        self.service = service
        self.accounts = accounts
        self.archives = archives
        self.hosts = hosts.map { TrustedHosts($0) }
        templates = try Templates()
    }

    /// The code of a link is in no log.
    public func loggedPath(of path: Substring) -> Substring? {
        let parts = path.split(separator: "/")
        guard parts.count > 3, parts[2] == "link" || parts[2] == "share" else { return path }
        return "/\(parts[0])/\(parts[1])/\(parts[2])/…"
    }

    public func answer(_ request: SiteRequest) async -> SiteAnswer {
        do {
            return try await respond(request)
        } catch {
            var answer = SiteAnswer(error, requestID: request.requestID)
            let isOfDevice = DevicePages.isQuestion(
                request.path.split(separator: "/").dropFirst(2).map(String.init))
            if !isOfDevice, request.request.headers[.accept]?.contains("application/json") != true {
                answer.response.headers[.contentType] = "text/plain; charset=utf-8"
                answer.response.body = ResponseBody(
                    byteBuffer: ByteBuffer(string: Self.text(of: ServiceError(describing: error))))
            }
            answer.response.headers[.contentTypeOptions] = "nosniff"
            // A refusal says how somebody is doing, too, and an address may be good the next time.
            answer.response.headers[.cacheControl] = "no-store"
            return answer
        }
    }

    private static func text(of error: ServiceError) -> String {
        [error.reason, error.remedy].compactMap { $0 }.joined(separator: "\n") + "\n"
    }

    private func respond(_ request: SiteRequest) async throws -> SiteAnswer {
        try checkHost(of: request)
        var segments = request.path.split(separator: "/").map { RequestTarget.decoded($0) ?? "" }
        let method = request.request.method == .head ? .get : request.request.method
        if segments.first == "static", segments.count == 2, method == .get {
            return try SignInFiles.answer(segments[1], request)
        }
        guard segments.count >= 2, let environment = CloudEnvironment(rawValue: segments[1]) else {
            throw ServiceError(
                .notFound, "There is no page at this address.",
                remedy: "Sign-in pages are at /sign-in/CONTAINER/ENVIRONMENT.")
        }
        let tenant = Tenant(container: try ContainerID(segments[0]), environment: environment)
        segments.removeFirst(2)
        if segments.count == 3, segments[0] == "with", segments[2] == "return" {
            return try await ProviderPages.comeBack(from: segments[1], method, self, request, tenant)
        }
        if method == .post, DevicePages.isQuestion(segments) {
            return try await DevicePages.answer(segments[1], self, request, tenant)
        }
        if method == .get, SignInLookFiles.has(segments) {
            return try SignInLookFiles.answer(segments[1], try await accounts.policy(of: tenant))
        }
        var context = try await SignInContext(self, request, tenant)
        switch method {
        case .get: return try await UserSignInPages.show(segments, context)
        case .post:
            context.form = try await FormValues(body: request.body(upTo: Limits.signInFormBytes))
            guard context.isOwnForm else {
                return context.page(
                    try await context.signInPage().saying(context.text(.badForm)), status: .forbidden)
            }
            return try await UserSignInPages.act(segments, context)
        default: throw ServiceError(.badRequest, "This page takes GET and POST.")
        }
    }
}

extension UserSignInSite {
    /// Refuses names that may be another site's.
    private func checkHost(of request: SiteRequest) throws(ServiceError) {
        let authority = request.request.head.authority
        guard let hosts, !hosts.contain(authority, connectedTo: request.localAddress) else { return }
        throw ServiceError(
            .accessDenied, "The sign-in pages do not answer to '\((authority ?? "").prefix(64))'.",
            remedy: "Start the server with --public-url and the address that people use.")
    }

    /// What links in mails begin with; nil where what the request names may be somebody else's: whoever asks for another one's link
    /// could have it lead to a server of their own.
    func linkBase(of request: SiteRequest) -> String? {
        let entrance = TrustedHosts.Entrance(
            address: request.localAddress, port: request.localPort,
            isSecure: request.baseURL.hasPrefix("https:"))
        guard let hosts, !hosts.mayBeginLinks(request.request.head.authority, at: entrance) else {
            return request.baseURL
        }
        return nil
    }
}

/// The style, the icon and the script of the pages.
enum SignInFiles {
    private struct File {
        let type: String
        let tag: EntityTag
        /// The bytes as they are sent: all answers share them.
        let body: ByteBuffer

        init(_ type: String, _ bytes: [UInt8]) {
            self.type = type
            tag = EntityTag(content: bytes)
            body = ByteBuffer(bytes: bytes)
        }
    }

    private static let files = [
        "sign-in.css": File("text/css; charset=utf-8", PackageResources.sign_in_css),
        "handover.js": File("text/javascript; charset=utf-8", PackageResources.handover_js),
        "stratus.svg": File("image/svg+xml", PackageResources.stratus_svg),
    ]

    static func answer(_ name: String, _ request: SiteRequest) throws -> SiteAnswer {
        guard let file = files[name] else { throw ServiceError(.notFound, "There is no such file.") }
        var headers: HTTPFields = [
            .contentType: file.type, .cacheControl: "no-cache", .eTag: file.tag.text,
            .contentTypeOptions: "nosniff",
        ]
        guard !file.tag.isKnown(request.request.headers[.ifNoneMatch]) else {
            return SiteAnswer(Response(status: .notModified, headers: headers))
        }
        headers[.contentLength] = String(file.body.readableBytes)
        return SiteAnswer(Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: file.body)))
    }
}
