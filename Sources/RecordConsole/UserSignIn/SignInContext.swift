import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage

/// One request to a sign-in page, with what its pages need.
struct SignInContext: Sendable {
    let site: UserSignInSite
    let request: SiteRequest
    let tenant: Tenant
    let policy: SignInPolicyRow
    let language: SignInLanguage
    /// The app that led here; nil for none.
    let app: TokenRow?
    /// Whether an app led here that is not known.
    let hasUnknownApp: Bool
    /// The program of the person's machine that the browser goes back to; nil for none.
    let program: Accounts.Program?
    let session: Accounts.PageSession?
    var form = FormValues()
    let query: FormValues
    /// What the browser's forms are known by.
    private let formCookie: String
    private let hasFormCookie: Bool
    /// Whether the address is one that a provider sent the browser to, which cannot be asked for again.
    let hasComeBack: Bool

    /// - Parameter carried: the query in the place of the request's, for a browser that comes back from a provider.
    init(
        _ site: UserSignInSite, _ request: SiteRequest, _ tenant: Tenant, carried: String? = nil
    ) async throws {
        self.site = site
        self.request = request
        self.tenant = tenant
        hasComeBack = carried != nil
        query = (try? FormValues((carried ?? String(request.query)).utf8)) ?? FormValues()
        let accounts = site.accounts
        policy = try await accounts.policy(of: tenant)
        language =
            query["lang"].flatMap(SignInLanguage.init)
            ?? SignInLanguage(accepted: request.request.headers[.acceptLanguage])
        let apiToken = query["ckAPIToken"]
        var app: TokenRow?
        if let apiToken { app = try await accounts.app(of: apiToken, in: tenant) }
        let program = Self.program(query, of: app)
        // A program's address that is not allowed is no reason to send the browser to another one.
        let isRefused = query["redirect_uri"] != nil && program == nil
        self.app = isRefused ? nil : app
        self.program = program
        hasUnknownApp = apiToken != nil && app == nil || isRefused
        let cookie = Cookies.value(SignInCookies.form(request.baseURL), in: request.request)
        hasFormCookie = cookie?.utf8.count == 64
        formCookie = hasFormCookie ? cookie ?? "" : accounts.newFormCookie()
        var session: Accounts.PageSession?
        if let token = Cookies.value(SignInCookies.session(request.baseURL), in: request.request) {
            session = try await accounts.pageSession(token, in: tenant)
        }
        self.session = session
    }

    /// The program that an address of the page names; nil for none that may be sent to.
    private static func program(_ query: FormValues, of app: TokenRow?) -> Accounts.Program? {
        guard let app, let redirect = query["redirect_uri"] else { return nil }
        return Accounts.Program(
            redirect: redirect, state: query["state"], challenge: query["code_challenge"],
            method: query["code_challenge_method"], of: app)
    }

    var accounts: Accounts { site.accounts }
    /// What the pages call the app.
    var title: String { policy.title.isEmpty ? tenant.container.rawValue : policy.title }
    var place: Accounts.Place {
        Accounts.Place(
            tenant: tenant, apiToken: app == nil ? nil : query["ckAPIToken"], language: language.rawValue,
            baseURL: site.linkBase(of: request), share: shareLink)
    }
    var client: Accounts.Client {
        Accounts.Client(
            address: request.clientAddress, network: request.clientNetwork,
            label: ClientLabel.text(of: request.request.headers[.userAgent] ?? ""),
            knownBrowser: Cookies.value(SignInCookies.known(request.baseURL), in: request.request),
            session: session?.id)
    }
    /// The page that opened the window, as it calls itself.
    var origin: String? { query["origin"] }

    /// Whether a device without a browser led here, to which the browser goes on after signing in.
    var isForDevice: Bool { query.items.contains { $0.name == "user_code" } }

    /// The link to something shared that led here, to which the browser goes back after signing in; nil for none.
    var shareLink: String? { query["share"].flatMap { LinkPages.isLink($0) ? $0 : nil } }

    /// The members of the address that all pages keep.
    private static let carried = [
        "ckAPIToken", "origin", "lang", "user_code", "redirect_uri", "state", "code_challenge",
        "code_challenge_method", "share",
    ]

    /// What is carried along to a provider and back.
    var carriedQuery: String {
        FormValues(items: query.items.filter { Self.carried.contains($0.name) })
            .query()
    }

    func text(_ text: SignInText, _ values: [String: String] = [:]) -> String {
        text.text(language, values.merging(["app": title]) { first, _ in first })
    }

    /// The address of a page of this container, with what the query carries along.
    ///
    /// - Parameter share: the link to something shared to which the browser is to come back; nil for the one that led here.
    func path(_ rest: String = "", language: SignInLanguage? = nil, share: String? = nil) -> String {
        var changes: [String: String?] = [:]
        for (name, _) in query.items where !Self.carried.contains(name) {
            changes[name] = .some(nil)
        }
        if let language { changes["lang"] = language.rawValue }
        if let share { changes["share"] = share }
        let query = query.query(changing: changes)
        return sitePath + rest + (query.isEmpty ? "" : "?" + query)
    }

    /// What the addresses of all pages of the container begin with.
    var sitePath: String { "/sign-in/\(tenant.container)/\(tenant.environment.rawValue)" }

    /// Whether a page in a browser opened this one, and waits to be told who signs in.
    private var isAppWindow: Bool {
        guard let app else { return false }
        return app.webCallback == nil && program == nil && !isForDevice
    }

    // MARK: Forms

    var csrf: String { accounts.formCode(of: formCookie) }

    /// Whether the form is one of ours, sent from a page of ours.
    var isOwnForm: Bool {
        let headers = request.request.headers
        if let site = headers[.secFetchSite], site != "same-origin", site != "none" { return false }
        if let origin = headers[.origin], origin != "null",
            Self.authority(origin) != Self.authority(PublicPath.origin(of: request.baseURL))
        {
            return false
        }
        return hasFormCookie && ConstantTime.areEqual((form["csrf"] ?? "").utf8, csrf.utf8)
    }

    /// Host and port: behind a proxy that ends TLS, the server may not know the scheme.
    private static func authority(_ address: String) -> Substring {
        address.firstRange(of: "://").map { address[$0.upperBound...] } ?? address[...]
    }

    // MARK: Answers

    /// Renders a page.
    func page(_ page: UserPage, status: HTTPResponse.Status = .ok) -> SiteAnswer {
        var page = page
        page.lang = language.rawValue
        page.app = title
        page.style = SignInLookFiles.stylePath(policy)
        page.logo = SignInLookFiles.logoPath(policy)
        page.languageLabel = text(.language)
        if page.handover == nil, isAppWindow {
            page.arrival = UserPage.Arrival(site: sitePath, start: path())
        }
        // A form that was sent cannot be asked for again in another language.
        if !hasComeBack, request.request.method == .get || request.request.method == .head {
            let here = request.path.split(separator: "/").dropFirst(2).map { "/" + $0 }.joined()
            page.languages = SignInLanguage.allCases.map { other in
                UserPage.Language(
                    code: other.rawValue, name: other.name, href: path(here, language: other),
                    isCurrent: other == language)
            }
        }
        var headers = self.headers
        headers[.contentType] = "text/html; charset=utf-8"
        return SiteAnswer(
            Response(
                status: status, headers: headers,
                body: ResponseBody(
                    byteBuffer: ByteBuffer(string: PublicPath.placed(site.templates.render(page))))))
    }

    /// Sends the browser to a page of ours.
    func redirect(to rest: String = "") -> SiteAnswer {
        var headers = headers
        headers[.location] = path(rest)
        return SiteAnswer(Response(status: .seeOther, headers: headers))
    }

    var headers: HTTPFields {
        var headers: HTTPFields = [
            .cacheControl: "no-store", .contentSecurityPolicy: contentPolicy, .contentTypeOptions: "nosniff",
            .referrerPolicy: "same-origin",
        ]
        headers[.contentLanguage] = language.rawValue
        if !hasFormCookie {
            headers.append(SignInCookies.formField(formCookie, at: request.baseURL))
        }
        return headers
    }

    /// A form's answer may lead to the app's callback, which browsers count as a part of the form's action.
    private var contentPolicy: String {
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; "
            + "frame-ancestors 'none'; form-action 'self'" + (callbackSource.map { " " + $0 } ?? "")
    }

    private var callbackSource: String? {
        guard let callback = program?.redirect ?? app?.webCallback,
            let parts = URLComponents(string: callback),
            let scheme = parts.scheme
        else { return nil }
        guard scheme == "https" || scheme == "http", let host = parts.host else { return "\(scheme):" }
        return "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
    }
}

/// The cookies of the sign-in pages.
enum SignInCookies {
    /// Cookies know no ports: two servers of one machine must not take each other's away.
    private static func name(_ base: String, _ baseURL: String) -> String {
        let port = PublicPath.origin(of: baseURL).split(separator: ":").last.flatMap { Int($0) }
        return base + (port.map { "_\($0)" } ?? "")
    }

    static func session(_ baseURL: String) -> String { name("stratus_user", baseURL) }
    static func form(_ baseURL: String) -> String { name("stratus_form", baseURL) }

    /// - Parameter seconds: how long the browser keeps it; nil until it is closed.
    static func sessionField(_ token: String, seconds: Int64?, in tenant: Tenant, at baseURL: String)
        -> HTTPField
    {
        // Lax and not Strict: apps open the page, and it should know who is signed in.
        field(
            session(baseURL), token, path: "/sign-in/\(tenant.container)/\(tenant.environment.rawValue)",
            seconds: seconds, baseURL)
    }

    static func formField(_ value: String, at baseURL: String) -> HTTPField {
        field(form(baseURL), value, path: "/sign-in", seconds: nil, baseURL)
    }

    static func visit(_ baseURL: String) -> String { name("stratus_visit", baseURL) }

    /// What a browser keeps while it is with a provider. Lax: a provider's page sends it back by an address.
    ///
    /// - Parameter seconds: how long; 0 takes it away.
    static func visitField(_ value: String, seconds: Int64, in tenant: Tenant, at baseURL: String)
        -> HTTPField
    {
        field(
            visit(baseURL), value, path: "/sign-in/\(tenant.container)/\(tenant.environment.rawValue)/with",
            seconds: seconds, baseURL)
    }

    static func known(_ baseURL: String) -> String { name("stratus_known", baseURL) }

    /// By what a browser's next attempts to sign in to an account are counted.
    static func knownField(_ value: String, at baseURL: String) -> HTTPField {
        field(
            known(baseURL), value, path: "/sign-in", seconds: Accounts.knownBrowserSeconds, baseURL)
    }

    private static func field(
        _ name: String, _ value: String, path: String, seconds: Int64?, _ baseURL: String
    ) -> HTTPField {
        HTTPField(
            name: .setCookie,
            value: "\(name)=\(value); Path=\(path); HttpOnly; SameSite=Lax"
                + (seconds.map { "; Max-Age=\($0)" } ?? "")
                + (baseURL.hasPrefix("https://") ? "; Secure" : ""))
    }
}

/// What lists of sessions call a browser.
enum ClientLabel {
    private static let browsers = [
        ("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"),
        ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"), ("curl/", "curl"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
        ("Mac OS", "Mac"), ("Linux", "Linux"),
    ]

    static func text(of userAgent: String) -> String {
        let browser = browsers.first { userAgent.contains($0.0) }?.1
        let system = systems.first { userAgent.contains($0.0) }?.1
        let known = [browser, system].compactMap { $0 }
        return known.isEmpty ? String(userAgent.prefix(40)) : known.joined(separator: ", ")
    }
}
