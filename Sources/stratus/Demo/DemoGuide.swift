import RecordModel
import RecordWire

/// What the demo prints: where it is, how to get in, and commands to paste.
struct DemoGuide {
    /// The address of the server.
    var address: String
    /// The web apps that it serves.
    var apps: [AppFolder] = []
    /// Where the Courses app is, if it runs.
    var coursesURL: String?

    /// All of it.
    func text() throws -> String {
        let first = """
            {"query":{"recordType":"Player","filterBy":[{"fieldName":"level","comparator":\
            "GREATER_THAN_OR_EQUALS","fieldValue":{"value":10}}],"sortBy":[{"fieldName":"rating","ascending":false}]},\
            "resultsLimit":5,"desiredKeys":["name","city","rating"]
            """
        let either = """
            {"query":{"recordType":"Player","predicate":"level >= 90 OR (city == 'Lisbon' AND rating > 4.5)"}}
            """
        let query = try url(.recordsQuery)
        return """
            The demo is at \(address)
              container        \(try DemoAccess.tenant())
              API token        \(DemoAccess.apiToken)
              web auth token   \(DemoAccess.webAuthToken)
            The tokens are the same for everybody: keep the demo on your own machine.
            \(appLines)
            Paste these, one after the other:

            # The five best players of level 10 and above
            curl -s '\(query)' -d '\(first)}'

            # The next five: the answer's continuation marker says where to go on
            MARKER=$(curl -s '\(query)' -d '\(first)}' | sed -n 's/.*"continuationMarker":"\\([^"]*\\)".*/\\1/p'); \
            curl -s '\(query)' -d '\(first),"continuationMarker":"'"$MARKER"'"}'

            # How many are masters, or good and from Lisbon
            curl -s '\(try url(.recordsCount))' -d "\(Self.inDoubleQuotes(either))"

            Ctrl-C stops it.
            """
    }

    /// The addresses to open in a browser, each in a line.
    private var appLines: String {
        var lines = [("Start page", address + "/"), ("Console", address + "/console/")]
        lines += apps.map { ($0.name, address + $0.prefix + "/") }
        if let coursesURL { lines.append(("Courses", coursesURL)) }
        let width = max(16, lines.map(\.0.count).max() ?? 0)
        let list = lines.map { name, address in
            "  " + name + String(repeating: " ", count: width + 1 - name.count) + address
        }
        return "\nOpen these in a browser:\n" + list.joined(separator: "\n") + "\n"
    }

    private func url(_ endpoint: Endpoint) throws -> String {
        let tenant = try DemoAccess.tenant()
        let path = endpoint.path(
            container: tenant.container.rawValue, environment: tenant.environment, scope: .public)
        return "\(address)\(path)?ckAPIToken=\(DemoAccess.apiToken)"
    }

    /// The text as the shell wants it between double quotes, which single quotes in a predicate call for.
    private static func inDoubleQuotes(_ text: String) -> String {
        text.map { "\"\\$`".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
