import HTTPTypes
import HummingbirdCore
import NIOCore
public import RecordServer

/// The page at `/` for browsers: what the server is and where everything is.
public struct StartPage: Site {
    /// A place that the page leads to.
    public struct Link: Sendable {
        /// What the place is called.
        public var title: String
        /// Its address: below the server's, or a whole one.
        public var href: String
        /// What one finds there.
        public var text: String

        /// Describes a place.
        public init(title: String, href: String, text: String) {
            self.title = title
            self.href = href
            self.text = text
        }

        var model: [String: Any] { ["title": title, "href": href, "text": text] }
    }

    public let name = "start"
    public let prefix = ""
    public let allowsOtherOrigins = false
    public let isForOperators = true

    private let templates: Templates
    private let settings: ConsoleSettings

    /// Makes the page.
    ///
    /// - Throws: when a template is broken, which a test finds.
    public init(settings: ConsoleSettings) throws {
        templates = try Templates()
        self.settings = settings
    }

    public func answer(_ request: SiteRequest) async -> SiteAnswer {
        let html = templates.render(
            "start",
            [
                "version": settings.version, "isDemo": settings.openOperator != nil,
                "apps": settings.apps.map(\.model), "hasApps": !settings.apps.isEmpty,
                "address": request.baseURL,
            ])
        return SiteAnswer(
            Response(
                status: .ok, headers: ConsoleContext.pageHeaders,
                body: ResponseBody(byteBuffer: ByteBuffer(string: html))))
    }
}
