import HTTPTypes

/// The path under which clients reach the server, where a proxy takes it away: `/api/pb` of `https://example.org/api/pb`.
///
/// Sites know nothing of it. They write addresses from the root, and this puts the path in front of all that reach a browser: of
/// redirections and cookies where the server sends a site's answer, and of pages where these are rendered.
public enum PublicPath {
    /// The path in front of the addresses of the request that a task answers; empty for none.
    @TaskLocal public static var current = ""

    /// The attributes of pages that hold addresses.
    private static let attributes = [
        "href", "src", "action", "formaction", "data-check", "data-files", "data-href", "data-list",
        "data-part",
        "data-source",
    ]

    /// The path of an address, without a `/` at its end; empty for none.
    static func of(_ url: String?) -> String {
        guard let url, let scheme = url.firstRange(of: "://") else { return "" }
        var path = url[scheme.upperBound...].drop { $0 != "/" }
        while path.last == "/" { path.removeLast() }
        return String(path)
    }

    /// The scheme, host and port of an address, as browsers compare them; without its path.
    public static func origin(of url: String) -> String { String(url.dropLast(of(url).count)) }

    /// A page whose addresses have the path in front. What people wrote cannot look like one: in HTML its quotes are escaped.
    public static func placed(_ html: String) -> String {
        let path = current
        guard !path.isEmpty else { return html }
        return attributes.reduce(html) { html, attribute in
            html.replacing(" \(attribute)=\"/", with: " \(attribute)=\"\(path)/")
        }
    }

    /// Puts a path in front of where an answer sends a browser, and of where its cookies count.
    static func place(_ path: String, in headers: inout HTTPFields) {
        guard !path.isEmpty else { return }
        if let location = headers[.location], location.hasPrefix("/") { headers[.location] = path + location }
        let cookies = headers[values: .setCookie]
        if !cookies.isEmpty {
            headers[values: .setCookie] = cookies.map {
                $0.replacing("; Path=/", with: "; Path=\(path)/", maxReplacements: 1)
            }
        }
    }
}
