import NIOCore
import NIOHPACK

extension Channel {
    /// Whether it is one request over HTTP/2, and not a connection: those come from the channel that listens, which comes
    /// from none.
    var isStream: Bool { parent?.parent != nil }
}

/// The headers of a request over HTTP/2 as they would be over HTTP/1.1, where the rest of the server looks for them.
enum StreamHeaders {
    private static let authority = ":authority"
    private static let host = "host"

    /// Leaves the name of the server only where it is single and valid (RFC 9113, 8.3.1), and says that a body comes
    /// where no length does.
    static func repair(_ headers: inout HPACKHeaders, hasBody: Bool) {
        let names = headers[authority]
        let hosts = headers[host]
        if names.count != 1 || !hosts.isEmpty || !HostName.isValid(names[0]) {
            headers = named(headers, name(names, hosts))
        }
        if hasBody, !headers.contains(name: "content-length") {
            headers.add(name: "transfer-encoding", value: "chunked")
        }
    }

    /// The name that all of them say; nil where there is none.
    private static func name(_ names: [String], _ hosts: [String]) -> String? {
        guard let first = names.first ?? hosts.first, names.count <= 1, HostName.isValid(first) else {
            return nil
        }
        return hosts.allSatisfy { $0.lowercased() == first.lowercased() } ? first : nil
    }

    /// Pseudo-headers come first (RFC 9113, 8.3).
    private static func named(_ headers: HPACKHeaders, _ name: String?) -> HPACKHeaders {
        var result = HPACKHeaders()
        result.reserveCapacity(headers.count + 1)
        if let name { result.add(name: authority, value: name) }
        for (name, value, indexing) in headers where name != authority && name != host {
            result.add(name: name, value: value, indexing: indexing)
        }
        return result
    }
}
