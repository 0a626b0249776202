import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordEngine
public import RecordServer
public import RecordStorage

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

        /// Creates an entry.
        public init(title: String, href: String, text: String) {
            self.title = title
            self.href = href
            self.text = text
        }
    }

    public let name = "start"
    public let prefix = ""
    public let allowsOtherOrigins = false
    public let isForOperators = true

    private let templates: Templates
    private let settings: ConsoleSettings
    private let store: any RecordStore

    /// Makes the page.
    ///
    /// - Throws: `MustacheTemplate.ParserError` for a template that is broken, which a test finds.
    public init(settings: ConsoleSettings, store: any RecordStore) throws {
        templates = try Templates()
        self.settings = settings
        self.store = store
    }

    public func answer(_ request: SiteRequest) async -> SiteAnswer {
        // The page is there also while the store is not.
        let awaited =
            // Then nobody is awaited, and signing in says what is wrong.
            settings.openOperator == nil ? (try? await Operators.awaited(in: store)) ?? nil : nil
        let html = templates.render(
            StartTemplate(
                version: settings.version, isDemo: settings.openOperator != nil,
                apps: settings.apps.map { .init(title: $0.title, href: $0.href, text: $0.text) },
                address: request.baseURL, awaited: awaited,
                hasNoMail: settings.openOperator == nil && settings.accounts?.post.reachesPeople == false))
        return SiteAnswer(
            Response(
                status: .ok, headers: ConsoleContext.pageHeaders,
                body: ResponseBody(byteBuffer: ByteBuffer(string: PublicPath.placed(html)))))
    }
}

/// What the page at `/` shows.
struct StartTemplate: TemplatePage {
    static let template = Template("start", PackageResources.start_mustache)

    struct App: TemplateModel {
        let title: String
        let href: String
        let text: String
    }

    let version: String
    let isDemo: Bool
    let apps: [App]
    let address: String
    /// The operator that nobody has signed in as yet; nil where somebody has.
    let awaited: String?
    /// Whether people get the links of their accounts from the operator alone.
    let hasNoMail: Bool
}
