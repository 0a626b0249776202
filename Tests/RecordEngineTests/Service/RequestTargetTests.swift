import RecordModel
import RecordWire
import TestSeeds
import Testing

@testable import RecordEngine

/// Addresses are taken apart by bytes, with the same parts as the standard library finds by asking at each.
@Suite struct RequestTargetTests {
    @Test(arguments: Seed.some(3))
    func `Parts are those of the standard library`(seed: Seed) {
        var random = seed.random
        for _ in 0..<2_000 {
            let whole = String(
                (0..<Int.random(in: 0...24, using: &random)).compactMap { _ in
                    "aé日👩/&=%".randomElement(using: &random)
                })
            // A part of a longer text, whose indices do not begin at nought.
            let text = whole.dropFirst(Int.random(in: 0...3, using: &random))
            for separator in "/&=%".utf8 {
                let most = Int.random(in: 1...6, using: &random)
                let expected = text.split(
                    separator: Character(UnicodeScalar(separator)), maxSplits: most - 1,
                    omittingEmptySubsequences: false)
                #expect(text.parts(at: separator, most: most) == expected.map(String.init), "\(text)")
            }
        }
    }

    @Test(
        arguments: [
            ("ckAPIToken=a&ckWebAuthToken=b", "a", "b"), ("ckWebAuthToken=b%2B%C3%A9", nil, "b+é"),
            ("ckAPIToken=a=b", "a=b", nil), ("&&ckAPIToken=&x", "", nil), ("ckAPIToken", nil, nil),
            // A sign and a digit are no hexadecimal number.
            ("ckAPIToken=%+5", nil, nil), ("ckAPIToken=%-0", nil, nil), ("ckAPIToken=%0x", nil, nil),
            ("ckAPIToken=%f", nil, nil), ("ckAPIToken=%ff", nil, nil), ("", nil, nil),
            ("ckAPIToken=a&ckAPIToken=c", "c", nil), ("=a&ckAPIToken=?&", "?", nil),
        ] as [(String, String?, String?)])
    func `Tokens are those of the query`(query: String, api: String?, web: String?) {
        let credentials = RequestTarget("/database/1/c/development/public/records/query?" + query).credentials
        #expect(credentials.apiToken == api)
        #expect(credentials.webAuthToken == web)
    }

    @Test func `A path names an endpoint, or is none of the service's`() throws {
        let call = try RequestTarget("/database/1/iCloud.a%2Eb/production/private/records/lookup?x").call()
        #expect(call?.endpoint == .recordsLookup)
        #expect(call?.tenant.container.rawValue == "iCloud.a.b")
        #expect(call?.scope == .private)
        for path in [
            "", "/", "/database", "database/1/a/b/c/d/e", "/database/1/iCloud.a/production/private/records",
        ] {
            #expect(try RequestTarget(path).call() == nil, "\(path)")
        }
        for path in ["records/lookup/more", "records/", "/lookup", "records/%6Cookup"] {
            #expect(throws: ServiceError.self, "\(path)") {
                try RequestTarget("/database/1/iCloud.a/production/private/" + path).call()
            }
        }
    }
}
