import Foundation

/// The first screen: what the content store answers, list by list.
struct HomePage {
    let store: any ContentStore

    var html: HTML {
        let favorites = store.favorites()
        let updates = store.recentUpdates(limit: 6)
        return PageFrame.html(
            title: "Courses",
            """
            <main class="home">
            <h1>What to watch</h1>
            \(list("recent", "Recent updates", updates.count, updates, empty: ""))
            \(list("favourites", "Favourites", store.favoritesCount, favorites, empty: "Press Favourite on something you like."))
            \(list("later", "Watch later", store.watchLaterCount, store.watchLater(), empty: "Press Later to keep something for another day."))
            \(list("free", "Free episodes", store.freeEpisodesCount, store.freeEpisodes(), empty: "None at the moment."))
            \(list("history", "History", store.watchingHistoryCount, store.watchingHistory(), empty: "Press Watch, and it is listed here."))
            \(list("paths", "Learning paths", store.learningPathsCount, store.learningPaths(), empty: "None at the moment."))
            </main>
            """)
    }

    private func list(
        _ name: String, _ title: String, _ count: Int, _ contents: [Content], empty: String
    ) -> HTML {
        let rows = contents.map { row($0, in: name) }
        let body: HTML = rows.isEmpty ? "<p class=\"empty\">\(empty)</p>" : "<ul>\(rows)</ul>"
        return """
            <section class="card" aria-labelledby="\(name)">
            <h2 id="\(name)">\(title) <span class="count" data-count="\(name)">\(count)</span></h2>
            \(body)
            </section>
            """
    }

    private func row(_ content: Content, in list: String) -> HTML {
        let percent = Int((content.progress * 100).rounded())
        return """
            <li>
            <div class="what">\(title(of: content))
            <p class="kind">\(kind(of: content))\(percent > 0 ? " · \(percent) % watched" : "")</p></div>
            <div class="marks">
            \(button("favourite", "Favourite", content, list, isOn: content.favoriteAt != nil))
            \(button("later", "Later", content, list, isOn: content.watchLaterAt != nil))
            \(button("watch", "Watch", content, list, isOn: nil))
            </div>
            </li>
            """
    }

    private func title(of content: Content) -> HTML {
        guard content.type == ContentType.course.rawValue else { return "<h3>\(content.title ?? "")</h3>" }
        return "<h3><a href=\"/courses/\(content.contentId)\">\(content.title ?? "")</a></h3>"
    }

    private func kind(of content: Content) -> String {
        switch ContentType(rawValue: content.type) {
        case .course: "Course"
        case .episode: content.isFree ? "Free episode" : "Episode"
        case .learningPath: "Learning path"
        case nil: ""
        }
    }

    /// A form of one button, which works without a script.
    private func button(
        _ mark: String, _ label: String, _ content: Content, _ list: String, isOn: Bool?
    ) -> HTML {
        let name = "\(list)-\(content.contentId)-\(mark)"
        let pressed: HTML = isOn.map { "aria-pressed=\"\($0)\"" } ?? ""
        return """
            <form method="post" action="/contents/\(content.contentId)/\(mark)?from=\(name)">\
            <button id="\(name)" \(pressed) aria-label="\(label): \(content.title ?? "")">\(label)</button></form>
            """
    }
}
