/// What all pages have around their content.
enum PageFrame {
    static func html(title: String, script: String? = nil, _ content: HTML) -> HTML {
        let script: HTML = script.map { "<script type=\"module\" src=\"/\($0)\"></script>" } ?? ""
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <link rel="icon" href="/icon.svg" type="image/svg+xml">
            <link rel="stylesheet" href="/courses.css">
            \(script)
            </head>
            <body>
            <header class="bar"><a href="/">Courses</a></header>
            \(content)
            </body>
            </html>
            """
    }
}
