/// What the pages of people's accounts show: one template for all, since they are forms of some fields.
struct UserPage: TemplatePage {
    static let template = Template("user-page", PackageResources.user_page_mustache)

    /// A form with its button.
    struct Form: TemplateModel {
        var heading: String?
        /// Sentences above the fields.
        var notes: [Note] = []
        let action: String
        let csrf: String
        var hidden: [Hidden] = []
        var fields: [Field] = []
        /// The label of a box that keeps somebody signed in; nil for none.
        var keep: String?
        var keepIsOn = false
        /// Nil where choices are the buttons.
        var button: String?
        var choices: [Choice] = []
        var isPrimary = true
        var autofocus = false
    }

    /// A sentence.
    struct Note: TemplateModel {
        let text: String
    }

    /// One of several buttons: a provider to sign in with.
    struct Choice: TemplateModel {
        let value: String
        let text: String
    }

    /// A value that the form carries along.
    struct Hidden: TemplateModel {
        let name: String
        let value: String
    }

    /// One line to fill in.
    struct Field: TemplateModel {
        /// Unique on the page.
        let id: String
        let name: String
        let label: String
        let type: String
        let autocomplete: String
        var value = ""
        var hint: String?
        var isWrong = false
        var autofocus = false
        var isOptional = false
        /// Which letters a phone's keyboard begins with: `none` or `words`.
        var capitals = "none"

        init(
            _ name: String, id: String? = nil, label: String, type: String, autocomplete: String,
            value: String = "",
            hint: String? = nil, isWrong: Bool = false, autofocus: Bool = false
        ) {
            self.id = id ?? name
            self.name = name
            self.label = label
            self.type = type
            self.autocomplete = autocomplete
            self.value = value
            self.hint = hint
            self.isWrong = isWrong
            self.autofocus = autofocus
        }
    }

    /// A recovery code.
    struct Code: TemplateModel {
        let text: String
    }

    /// A way to another page.
    struct Link: TemplateModel {
        let href: String
        let text: String
    }

    /// A language to choose.
    struct Language: TemplateModel {
        let code: String
        let name: String
        let href: String
        let isCurrent: Bool
    }

    /// A sign-in that goes on.
    struct Session: TemplateModel {
        let label: String
        let since: String
        let isThis: Bool
        let id: String
    }

    /// What a script tells the page that opened the window.
    struct Handover: TemplateModel {
        let token: String
        let origins: String
    }

    /// What a script needs to bring a window that an app opened to its end, where somebody signs in by a mailed link.
    struct Arrival: TemplateModel {
        /// The pages of the container, which their addresses begin with.
        let site: String
        /// Where the window of an app begins; nil for a page that no app opened.
        var start: String?
        /// Whether somebody signed in by a link, which may have been opened in that window or beside it.
        var isDone = false
        /// The API token of the app that the link was asked for in; empty where it was none.
        var apiToken = ""
    }

    /// What the form says in the place of a session for all others.
    static let allSessions = "others"

    var lang = ""
    var app = ""
    /// The style with the app's own color; nil for that of all pages.
    var style: String?
    /// The app's picture; nil for none.
    var logo: String?
    var title: String
    var lead: String?
    var problem: String?
    var notice: String?
    /// Where the picture of what is shared is; nil for none.
    var pictureHref: String?
    /// Sentences below the lead.
    var facts: [Note] = []
    /// What a link leads to, to be looked at.
    var shared: SharedRecords?
    var forms: [Form] = []
    var codes: [Code] = []
    var links: [Link] = []
    var languages: [Language] = []
    var languageLabel = ""
    var sessionsHeading: String?
    var sessions: [Session] = []
    var sessionsAction = ""
    var csrf = ""
    /// What is asked for before a session is ended; nil where there is no password to ask for.
    var endField: Field?
    var endText = ""
    var thisText = ""
    var endOthers: String?
    var handover: Handover?
    var arrival: Arrival?
    /// Where the browser goes by itself; for what is not this server, since answers of forms may not lead there.
    var onward: String?

    init(title: String) { self.title = title }

    /// The page with a sentence about what did not work.
    ///
    /// - Parameter isWrong: whether what was typed into the first form is wrong.
    func saying(_ problem: String, isWrong: Bool = false) -> UserPage {
        var page = self
        page.problem = problem
        if isWrong, !page.forms.isEmpty {
            for index in page.forms[0].fields.indices { page.forms[0].fields[index].isWrong = true }
        }
        return page
    }
}
