import NIOHPACK
import RecordModel
import Testing

@testable import RecordServer

/// What a request over HTTP/2 says, as the rest of the server reads it.
@Suite struct StreamHeadersTests {
    private static func repaired(_ fields: [(String, String)], hasBody: Bool = false) -> HPACKHeaders {
        var headers = HPACKHeaders([(":method", "GET"), (":path", "/")] + fields)
        StreamHeaders.repair(&headers, hasBody: hasBody)
        return headers
    }

    @Test(arguments: [
        ([(":authority", "records.example")], "records.example"),
        ([(":authority", "[::1]:8443")], "[::1]:8443"),
        ([("host", "records.example:443")], "records.example:443"),
        ([(":authority", "Records.example"), ("host", "records.EXAMPLE")], "Records.example"),
        ([(":authority", "records.example"), ("host", "other.example")], nil),
        ([("host", "records.example"), ("host", "other.example")], nil),
        ([(":authority", "a.example"), (":authority", "b.example")], nil),
        ([(":authority", "user@records.example")], nil),
        ([(":authority", "")], nil),
        ([], nil),
    ])
    func `A request names the server once, or not at all`(_ fields: [(String, String)], _ name: String?) {
        let headers = Self.repaired(fields + [("accept", "text/html")])
        #expect(headers.first(name: ":authority") == name)
        #expect(headers["host"].isEmpty)
        #expect(headers["accept"] == ["text/html"])
        // Pseudo-headers stand before all others.
        let names = headers.map { $0.name }
        #expect(names.lastIndex { $0.hasPrefix(":") } ?? -1 < names.firstIndex { !$0.hasPrefix(":") } ?? 0)
    }

    @Test func `A body without a length is there all the same`() {
        let named = [(":authority", "records.example")]
        #expect(Self.repaired(named, hasBody: true)["transfer-encoding"] == ["chunked"])
        #expect(Self.repaired(named)["transfer-encoding"].isEmpty)
        #expect(Self.repaired(named + [("content-length", "3")], hasBody: true)["transfer-encoding"].isEmpty)
    }

    @Test func `What is read ahead of a body is what it counts for`() {
        let ahead = 6 * StreamLimits.frameBytes + Limits.streamWindowBytes
        #expect(ahead <= BodyBudget.streamedBytes)
    }
}
