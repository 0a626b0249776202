import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import RecordWire

/// Devices without a browser, and programs with one beside them: what they ask (RFC 8628, RFC 8252), and the page on which their owners let them in.
enum DevicePages {
    private static let grantType = "urn:ietf:params:oauth:grant-type:device_code"
    /// The code that a browser brought back to a program of its machine (RFC 6749, 4.1.3).
    private static let codeGrantType = "authorization_code"

    // MARK: What devices ask

    /// Whether an address is one that devices ask, and no page.
    static func isQuestion(_ segments: [String]) -> Bool {
        segments.count == 2 && segments[0] == "device" && ["code", "token", "revoke"].contains(segments[1])
    }

    static func answer(
        _ question: String, _ site: UserSignInSite, _ request: SiteRequest, _ tenant: Tenant
    ) async throws -> SiteAnswer {
        let form = try await FormValues(body: request.body(upTo: Limits.signInFormBytes))
        let accounts = site.accounts
        let apiToken = form.text("client_id") ?? ""
        let client = Accounts.Client(
            address: request.clientAddress, network: request.clientNetwork,
            label: form["device_name"] ?? ClientLabel.text(of: request.request.headers[.userAgent] ?? ""))
        switch question {
        case "code":
            guard let codes = try await accounts.beginDevice(apiToken: apiToken, in: tenant, client: client)
            else { return refusal("invalid_client", status: .unauthorized) }
            let page = "\(request.baseURL)/sign-in/\(tenant.container)/\(tenant.environment.rawValue)/device"
            return json { writer in
                writer.member("device_code", codes.deviceCode)
                writer.member("user_code", codes.userCode)
                writer.member("verification_uri", page)
                writer.member("verification_uri_complete", "\(page)?user_code=\(codes.userCode)")
                writer.member("expires_in", Limits.deviceCodeSeconds)
                writer.member("interval", Limits.devicePollSeconds)
            }
        case "revoke":
            try await accounts.endSession(ofToken: form.text("token") ?? "", in: tenant)
            return json { _ in }
        default:
            let grant = form.text("grant_type")
            guard grant == grantType || grant == codeGrantType else {
                return refusal("unsupported_grant_type")
            }
            guard try await accounts.app(of: apiToken, in: tenant) != nil else {
                return refusal("invalid_client", status: .unauthorized)
            }
            if grant == codeGrantType {
                let answer = try await accounts.redeemProgram(
                    form.text("code") ?? "", verifier: form.text("code_verifier") ?? "",
                    redirect: form.text("redirect_uri") ?? "", apiToken: apiToken, in: tenant, client: client)
                guard case .granted = answer else { return refusal("invalid_grant") }
                return token(answer)
            }
            return token(
                try await accounts.askForDevice(
                    form.text("device_code") ?? "", apiToken: apiToken, in: tenant))
        }
    }

    private static func token(_ answer: Accounts.DeviceAnswer) -> SiteAnswer {
        switch answer {
        case .pending: return refusal("authorization_pending")
        case .slowDown(let seconds):
            return refusal("slow_down") { $0.member("interval", seconds) }
        case .denied: return refusal("access_denied")
        case .over: return refusal("expired_token")
        case .granted(let token, let user):
            return json { writer in
                writer.member("access_token", token)
                writer.member("token_type", "ckWebAuthToken")
                writer.member("userRecordName", user)
            }
        }
    }

    private static func refusal(
        _ code: String, status: HTTPResponse.Status = .badRequest,
        _ more: (inout JSONWriter) -> Void = { _ in }
    ) -> SiteAnswer {
        json(status) { writer in
            writer.member("error", code)
            more(&writer)
        }
    }

    private static func json(
        _ status: HTTPResponse.Status = .ok, _ members: (inout JSONWriter) -> Void
    ) -> SiteAnswer {
        let bytes = JSONWriter.text { writer in
            writer.beginObject()
            members(&writer)
            writer.endObject()
        }
        return SiteAnswer(
            Response(
                status: status,
                headers: [
                    .contentType: "application/json", .cacheControl: "no-store",
                    .contentTypeOptions: "nosniff",
                ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))))
    }

    // MARK: The page

    static func show(_ context: SignInContext) -> SiteAnswer {
        guard context.session != nil else { return context.redirectToSignInForDevice() }
        return context.page(context.devicePage())
    }

    /// Looks a code up, and asks whether its device may come in; or does what was said.
    static func act(_ step: String, _ context: SignInContext) async throws -> SiteAnswer {
        guard let session = context.session else { return context.redirectToSignInForDevice() }
        let code = context.form["code"] ?? ""
        do {
            switch step {
            case "allow", "deny":
                let isAllowed = step == "allow"
                guard
                    try await context.accounts.answerDevice(
                        code, isAllowed: isAllowed, by: session, at: context.place)
                else { break }
                return context.page(context.deviceDonePage(isAllowed: isAllowed))
            default:
                let device = try await context.accounts.waitingDevice(
                    code, for: session, in: context.tenant)
                guard let device else { break }
                return context.page(context.deviceQuestionPage(device.label, code, session.account))
            }
            return context.page(
                context.devicePage().saying(context.text(.deviceUnknown), isWrong: true), status: .notFound)
        } catch {
            return context.failure(error) { context.devicePage().saying($0, isWrong: $1) }
        }
    }
}

extension SignInContext {
    /// What a link to the page has of a code; empty for none.
    private var userCode: String { String((form["code"] ?? query["user_code"] ?? "").prefix(20)) }

    /// To the sign-in page, and back to the device afterwards.
    func redirectToSignInForDevice() -> SiteAnswer {
        guard !isForDevice else { return redirect() }
        var answer = redirect()
        let path = path()
        answer.response.headers[.location] = path + (path.contains("?") ? "&" : "?") + "user_code="
        return answer
    }

    func devicePage() -> UserPage {
        var page = UserPage(title: text(.device))
        page.lead = text(.deviceLead)
        page.forms = [
            .init(
                action: path("/device"), csrf: csrf,
                fields: [
                    .init(
                        "code", label: text(.code), type: "text", autocomplete: "off", value: userCode,
                        autofocus: true)
                ], button: text(.goOn))
        ]
        page.links = [.init(href: path("/account"), text: text(.account))]
        return page
    }

    func deviceQuestionPage(_ device: String, _ code: String, _ account: AccountRow) -> UserPage {
        var page = UserPage(title: text(.device))
        // Titles are what an operator likes; the container says which app it is.
        let container = tenant.container.rawValue
        page.lead = text(
            .deviceAsk,
            [
                "device": device, "address": name(of: account), "code": code.uppercased(),
                "app": title == container ? title : "\(title) (\(container))",
            ])
        page.forms = [
            .init(
                action: path("/device/allow"), csrf: csrf, hidden: [.init(name: "code", value: code)],
                button: text(.allow)),
            .init(
                action: path("/device/deny"), csrf: csrf, hidden: [.init(name: "code", value: code)],
                button: text(.deny), isPrimary: false),
        ]
        return page
    }

    func deviceDonePage(isAllowed: Bool) -> UserPage {
        var page = UserPage(title: text(.device))
        page.lead = text(isAllowed ? .deviceDone : .deviceDenied)
        page.links = [.init(href: path("/account"), text: text(.account))]
        return page
    }
}
