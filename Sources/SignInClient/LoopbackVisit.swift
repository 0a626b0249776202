internal import Foundation

/// What a request to the program's port means.
struct LoopbackVisit: Sendable {
    /// What is answered, and the end of the wait where it is one.
    struct Outcome {
        var page: String
        var result: Result<String, SignInProblem>?
    }

    /// Where the browser comes back.
    let path: String
    /// What the address has to carry, so that no other program or page can bring a code of its own.
    let state: String

    func outcome(of target: String) -> Outcome {
        let parts = URLComponents(string: "http://127.0.0.1" + target)
        guard target.hasPrefix("/"), let parts, parts.path == path else {
            return Outcome(page: Self.page(404, "Nothing", "There is nothing here."))
        }
        func value(_ name: String) -> String? {
            let found = (parts.queryItems ?? []).filter { $0.name == name }
            return found.count == 1 ? found[0].value : nil
        }
        guard let given = value("state"), Self.areEqual(given, state) else {
            return Outcome(
                page: Self.page(400, "Not signed in", "This address belongs to another sign-in. Start again.")
            )
        }
        guard let code = value("code"), !code.isEmpty, value("error") == nil else {
            return Outcome(
                page: Self.page(200, "Not signed in", "You can close this window and go back to the app."),
                result: .failure(SignInProblem(.denied, "The sign-in was denied in the browser.")))
        }
        return Outcome(
            page: Self.page(200, "You are signed in", "You can close this window and go back to the app."),
            result: .success(code))
    }

    private static func areEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func page(_ status: Int, _ title: String, _ text: String) -> String {
        let reason = status == 200 ? "OK" : status == 400 ? "Bad Request" : "Not Found"
        let body =
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
            + "content=\"width=device-width\"><title>\(title)</title><style>body{font:1.1em/1.5 system-ui,sans-serif;"
            + "max-width:24em;margin:20vh auto;padding:0 1em;color-scheme:light dark}</style>"
            + "<h1>\(title)</h1><p>\(text)</p></html>"
        return """
            HTTP/1.1 \(status) \(reason)\r
            Content-Type: text/html; charset=utf-8\r
            Content-Length: \(body.utf8.count)\r
            Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r
            Cache-Control: no-store\r
            Referrer-Policy: no-referrer\r
            X-Content-Type-Options: nosniff\r
            Connection: close\r
            \r
            \(body)
            """
    }
}
