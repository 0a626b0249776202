import Crypto
import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage

/// The color and the picture of a container's sign-in page, each at an address that changes with it, so that browsers keep it.
enum SignInLookFiles {
    /// Whether an address below a page is one of these files'.
    static func has(_ segments: [String]) -> Bool { segments.count == 2 && segments[0] == "look" }

    /// Where the page's own style is; nil for that of all pages.
    static func stylePath(_ policy: SignInPolicyRow) -> String? {
        policy.color.isEmpty ? nil : base(policy.tenant) + styleName(policy.color)
    }

    /// Where the page's picture is; nil for none.
    static func logoPath(_ policy: SignInPolicyRow) -> String? {
        policy.logo.map { base(policy.tenant) + logoName($0) }
    }

    /// - Throws: `NOT_FOUND` for what the page does not have, or does not have any more.
    static func answer(_ name: String, _ policy: SignInPolicyRow) throws -> SiteAnswer {
        if !policy.color.isEmpty, name == styleName(policy.color) {
            return answer(Array(style(policy.color).utf8), type: "text/css; charset=utf-8")
        }
        if let logo = policy.logo, name == logoName(logo), let type = SignInLook.type(ofLogo: logo) {
            return answer(logo, type: type)
        }
        throw ServiceError(.notFound, "There is no such file.")
    }

    private static func base(_ tenant: Tenant) -> String {
        "/sign-in/\(tenant.container)/\(tenant.environment.rawValue)/look/"
    }

    private static func styleName(_ color: String) -> String { color.dropFirst() + ".css" }

    private static func logoName(_ logo: [UInt8]) -> String { Array(SHA256.hash(data: logo)).hex }

    /// The color is dark enough for white text. In the dark, links of it could not be read: there it is the button's alone.
    private static func style(_ color: String) -> String {
        """
        :root { --button: \(color); --button-text: #ffffff; --button-line: \(color); }
        @media (prefers-color-scheme: light) { :root { --accent: \(color); } }
        @media (prefers-color-scheme: dark) { :root { --button-line: var(--line); } }

        """
    }

    private static func answer(_ bytes: [UInt8], type: String) -> SiteAnswer {
        let headers: HTTPFields = [
            .contentType: type, .contentLength: String(bytes.count), .contentTypeOptions: "nosniff",
            .cacheControl: "public, max-age=31536000, immutable",
            .contentSecurityPolicy: "default-src 'none'; sandbox",
        ]
        return SiteAnswer(
            Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))))
    }
}
