/// The live list of a course. The rows come with the first event of the stream.
struct CoursePage {
    let id: Int
    let title: String
    let isAscending: Bool

    var html: HTML {
        PageFrame.html(
            title: title, script: "course.js",
            """
            <main class="course" data-course="\(id)" data-order="\(isAscending ? "ascending" : "descending")">
            <div class="head">
            <h1>\(title)</h1>
            <p id="connection" role="status" data-state="connecting">connecting…</p>
            </div>
            <div class="tools">
            <nav class="order" aria-label="Order">
            \(link("ascending", "First to last", isCurrent: isAscending))
            \(link("descending", "Last to first", isCurrent: !isAscending))
            </nav>
            <button id="random" type="button">Make 20 random edits</button>
            </div>
            <p id="message" role="alert" hidden></p>
            <div class="stage">
            <div id="list" data-version="" data-mismatches="0"></div>
            <div id="ghosts" aria-hidden="true"></div>
            </div>
            <noscript><p class="empty">The list follows its changes with a script.</p></noscript>
            <form id="add" class="card">
            <h2>Add a lesson</h2>
            <label>Title <input name="title" maxlength="120" required autocomplete="off"></label>
            <label>Chapter <input name="chapter" maxlength="120" required autocomplete="off" list="chapters"></label>
            <datalist id="chapters"></datalist>
            <button class="main">Add</button>
            </form>
            <dialog id="editor" aria-labelledby="editor-title">
            <form method="dialog">
            <h2 id="editor-title"></h2>
            <label>Title <input name="title" maxlength="120" required autocomplete="off"></label>
            <label id="editor-chapter">Chapter <select name="chapter"></select></label>
            <div class="buttons">
            <button id="delete" type="button" class="danger">Delete</button>
            <button type="button" id="cancel">Cancel</button>
            <button class="main" value="save">Save</button>
            </div>
            </form>
            </dialog>
            </main>
            """)
    }

    private func link(_ order: String, _ label: String, isCurrent: Bool) -> HTML {
        let current: HTML = isCurrent ? "aria-current=\"page\"" : ""
        return "<a href=\"/courses/\(id)?order=\(order)\" \(current)>\(label)</a>"
    }
}
