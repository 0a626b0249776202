import Foundation
import RecordWire
import TestSeeds
import Testing

@testable import RecordEngine

/// Mails as text.
@Suite struct MailMessageTests {
    private static func lines(subject: String, body: String = "b", from: String = "ada@example.org") throws
        -> [String]
    {
        let message = MailMessage(
            sender: try #require(MailSender(from)), receiver: "bob@example.org", subject: subject, body: body,
            date: Date(timeIntervalSince1970: 1_795_384_620), id: "1")
        return String(decoding: message.bytes, as: UTF8.self).components(separatedBy: "\r\n")
    }

    @Test func `A mail has the headers that it needs, and its text in base64`() throws {
        let text = "Öffnen Sie\n\n.\n" + String(repeating: "x", count: 300)
        let lines = try Self.lines(subject: "Hello", body: text)
        for line in [
            "From: <ada@example.org>", "To: <bob@example.org>", "Subject: Hello", "MIME-Version: 1.0",
            "Date: Sun, 22 Nov 2026 21:57:00 +0000", "Message-ID: <1@example.org>",
            "Content-Transfer-Encoding: base64",
        ] { #expect(lines.contains(line), "\(line)") }
        let body = lines.drop { !$0.isEmpty }.joined()
        let decoded = try #require(Base64.decode(body))
        #expect(String(decoding: decoded, as: UTF8.self) == text.replacing("\n", with: "\r\n"))
        #expect(lines.allSatisfy { $0.utf8.count <= 78 })
    }

    @Test(arguments: Seed.some(100))
    func `Whatever is in a subject, it is one header with short lines of ASCII`(_ seed: Seed) throws {
        var random = seed.random
        let scalars = (0..<random.int(0...120)).map { _ in
            Bool.random(using: &random)
                ? Unicode.Scalar(UInt8(random.int(0...127)))
                : Unicode.Scalar(UInt32(random.int(0xA0...0xD7FF))) ?? "?"
        }
        var subject = ""
        subject.unicodeScalars.append(contentsOf: scalars)
        let lines = try Self.lines(subject: subject)
        let header = lines.prefix { !$0.isEmpty }
        #expect(
            header.allSatisfy { $0.utf8.count <= 78 && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
        #expect(header.count { !$0.hasPrefix(" ") } == 9)
        let start = try #require(header.firstIndex { $0.hasPrefix("Subject: ") })
        let folded =
            [String(header[start].dropFirst(9))] + header[(start + 1)...].prefix { $0.hasPrefix(" ") }
        let words = folded.joined(separator: " ").matches(of: /=\?utf-8\?B\?([A-Za-z0-9+\/=]*)\?=/)
        let read =
            words.isEmpty
            ? folded.joined()
            : String(decoding: words.flatMap { Base64.decode(String($0.1)) ?? [] }, as: UTF8.self)
        #expect(read == subject)
    }

    @Test(arguments: [
        ("ada@example.org", "<ada@example.org>"),
        ("Ada L. <ada@example.org>", "\"Ada L.\" <ada@example.org>"),
        ("\"Ada, L.\" <ada@example.org>", "\"Ada, L.\" <ada@example.org>"),
        ("Spieler ü <p@x>", "=?utf-8?B?U3BpZWxlciDDvA==?= <p@x>"), ("a\\b\"c <p@x>", "\"a\\\\b\\\"c\" <p@x>"),
    ])
    func `A sender has a name perhaps`(_ text: String, _ header: String) throws {
        #expect(try #require(MailSender(text)).header == header)
    }

    @Test(arguments: ["", "Ada", "Ada <ada>", "Ada\r\nBcc: x <a@b>", "<a@b>, <c@d>", "a@b c@d"])
    func `What is no sender is refused`(_ text: String) { #expect(MailSender(text) == nil) }
}
