import Foundation
import TestSeeds
import Testing

@testable import StratusCloudKit

@Suite struct ShareURLTests {
    @Test(
        "A link is found in whatever people hand over",
        arguments: [
            ShareJSON.token, "https://example.org/share/\(ShareJSON.token)",
            "https://example.org/share/\(ShareJSON.token)#Groceries_for_two",
            "https://www.icloud.com/share/\(ShareJSON.token)",
            "http://127.0.0.1:8080/share/\(ShareJSON.token)?from=mail",
            "https://example.org/invites/\(ShareJSON.token)/",
            "https://www.icloud.com/photos/#\(ShareJSON.token)",
            "Join%20us%20at%20example.org/share/\(ShareJSON.token)%20see%20you",
            "https://example.org/share/\(ShareJSON.token)#ABCDEFGHIJKLMNOPQRSTUVWXY",
            "Have-a-look-at-what-we-do%20example.org/share/\(ShareJSON.token)",
        ])
    func tokens(_ text: String) throws {
        #expect(ShareURL.token(in: try #require(URL(string: text))) == ShareJSON.token)
    }

    @Test(
        "Of what has no token the end of the path is tried",
        arguments: [
            ("https://example.org/share/1", "1"), ("https://example.org/share/short#T", "short"),
            ("https://example.org", "example.org"), ("abc", "abc"),
            ("https://example.org/share/%F0%9F%8D%85", "🍅"),
        ])
    func noToken(_ text: String, _ expected: String) throws {
        #expect(ShareURL.token(in: try #require(URL(string: text))) == expected)
    }

    @Test(
        "The title of a share follows its link",
        arguments: [
            ("Groceries for two", "#Groceries_for_two"), ("", ""), (nil, ""), ("50 % #1", "#50_%25_%231"),
            ("Käse", "#K%C3%A4se"),
        ] as [(String?, String)])
    func title(_ title: String?, _ fragment: String) throws {
        let url = try #require(ShareURL.titled("https://example.org/share/\(ShareJSON.token)", title: title))
        #expect(url.absoluteString == "https://example.org/share/\(ShareJSON.token)" + fragment)
        #expect(ShareURL.token(in: url) == ShareJSON.token)
    }

    @Test("No text of a link stops the process", arguments: Seed.some(4))
    func hostileLinks(_ seed: Seed) {
        var random = seed.random
        let pieces = [
            "/", "#", "%", "%20", "%FF", "?", "https://", "a", "-", "é", "🍅", ShareJSON.token, "&=", "//",
            ":",
        ]
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            if let url = URL(string: text) { _ = ShareURL.token(in: url) }
            _ = ShareURL.titled(text, title: text)
        }
    }
}
