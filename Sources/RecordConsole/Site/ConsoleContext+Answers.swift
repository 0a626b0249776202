import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordEngine
import RecordModel
import RecordServer
import RecordWire

extension ConsoleContext {
    /// The headers of every page: nothing from elsewhere, no framing, nothing kept by the browser.
    static let pageHeaders: HTTPFields = [
        .contentType: "text/html; charset=utf-8",
        .cacheControl: "no-store",
        .contentSecurityPolicy: contentPolicy,
        .contentTypeOptions: "nosniff",
        .referrerPolicy: "same-origin",
    ]

    /// What a page may load: scripts, styles and data of this server alone.
    static let contentPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    /// Renders a page into the layout.
    ///
    /// - Parameters:
    ///   - page: what its template shows; ``PageFrame`` is added to it.
    ///   - title: what the browser's tab says, and the page's heading.
    ///   - section: the part of the menu that is lit.
    func page(
        _ page: some TemplatePage, title: String, section: Section? = nil, status: HTTPResponse.Status = .ok
    ) -> SiteAnswer {
        let tenant = try? tenant()
        let frame = PageFrame(
            csrf: session?.csrf ?? "", base: tenant.map { "/console" + Self.path($0, "") })
        let flash = Flash.read(from: request.request)
        let shown = tenant ?? LastTenant.read(from: request.request)
        let layout = LayoutPage(
            title: title, csrf: frame.csrf, content: console.templates.render(page, in: frame),
            operator: operatorName, isReadOnly: isReadOnly, version: console.settings.version,
            requestID: request.requestID,
            flash: flash, menu: Menu.items(tenant: shown, section: section),
            tenant: shown.map(LayoutPage.Place.init))
        var headers = Self.pageHeaders
        if let tenant, session != nil { headers.append(LastTenant.setting(tenant)) }
        if flash != nil { headers.append(Flash.cleared) }
        return SiteAnswer(
            Response(
                status: status, headers: headers,
                body: ResponseBody(
                    byteBuffer: ByteBuffer(string: PublicPath.placed(console.templates.render(layout))))))
    }

    /// Sends the browser to a page of the console, as after every change; the page says the sentence once.
    ///
    /// - Parameter path: below the console's prefix.
    func redirect(to path: String, saying sentence: String? = nil) -> SiteAnswer {
        var headers: HTTPFields = [
            .location: "/console" + path, .cacheControl: "no-store",
        ]
        if let sentence { headers.append(Flash.setting(sentence)) }
        return SiteAnswer(Response(status: .seeOther, headers: headers))
    }

    /// Sends the browser to the sign-in page, and back afterwards.
    func redirectToSignIn() -> SiteAnswer {
        var path = "/sign-in"
        if request.request.method == .get {
            let wanted = request.path + (request.query.isEmpty ? "" : "?" + request.query)
            path += "?to=" + FormValues.encoded(String(wanted))
        }
        return redirect(to: path)
    }

    /// An answer for scripts.
    func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> SiteAnswer {
        var headers = Self.pageHeaders
        headers[.contentType] = "application/json; charset=utf-8"
        return SiteAnswer(
            Response(
                status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))))
    }

    /// A page that says what went wrong and what to do; scripts that ask for JSON get the error dictionary.
    func failure(_ error: any Error) -> SiteAnswer {
        if request.request.headers[.accept]?.contains("application/json") == true {
            guard let refusal = error as? ErrorDictionary else {
                return SiteAnswer(error, requestID: request.requestID)
            }
            // What the record service refused is no failure of the console.
            let code = ServiceError.Code(text: refusal.serverErrorCode) ?? .badRequest
            return SiteAnswer(
                ServiceError(code, refusal.reason ?? "", remedy: refusal.remedy), requestID: request.requestID
            )
        }
        let model: ErrorPage
        let status: Int
        var trace = ServiceTrace()
        if let error = error as? ErrorDictionary {
            status =
                ServiceError.Code(text: error.serverErrorCode).map { ServiceError($0, "").httpStatus } ?? 400
            trace.code = ServiceError.Code(text: error.serverErrorCode)
            model = ErrorPage(
                code: error.serverErrorCode, reason: error.reason ?? "", remedy: remedy(error.remedy))
        } else {
            let failure = ServiceError(describing: error)
            status = failure.httpStatus
            trace.code = failure.code
            model = ErrorPage(
                code: failure.code.description, reason: failure.reason, remedy: remedy(failure.remedy))
        }
        trace.error = error
        var answer = page(model, title: "That did not work", status: HTTPResponse.Status(code: status))
        answer.trace = trace
        return answer
    }

    // MARK: Commands to paste

    /// A command of `stratus` that an operator can paste on this machine.
    func command(_ words: String) -> String { console.settings.completingCommands("stratus " + words) }

    /// A remedy whose commands can be pasted. Strangers do not learn where the data is.
    func remedy(_ text: String?) -> String? {
        session == nil ? text : text.map(console.settings.completingCommands)
    }
}
