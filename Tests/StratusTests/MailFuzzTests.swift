import Foundation
import RecordEngine
import RecordWire
import TestSeeds
import Testing

@testable import stratus

/// Law: a mail has the headers that it is written with and no other, whatever is in its subject and its sender's name.
@Suite struct MailFuzzTests {
    private static let words = [
        "\r\n", "\n", "\r", "Bcc: eve@example.org", "=?utf-8?B?", "?=", "\"", "\\", "<", ">", ",", ";", ":",
        "\0", "\u{2028}", "é", "日本",
        "\u{85}", "\u{7F}", " ", "\t", "@", "..", "xn--",
    ]
    private static let names = [
        "From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type",
        "Content-Transfer-Encoding",
        "Auto-Submitted",
    ]

    /// A subject as a reader of mails has it (RFC 2047).
    private static func decoded(_ value: String) -> String {
        guard value.contains("=?utf-8?B?") else { return value }
        let bytes = value.components(separatedBy: " ").flatMap { word in
            Base64.decode(String(word.dropFirst("=?utf-8?B?".count).dropLast(2))) ?? []
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `No text becomes a header or a line of its own`() async throws {
        try await Fuzz("mail headers", count: 4_000).run { seed, random in
            let sender = MailSender(
                random.mutated("Players and more <players@example.org>", with: Self.words))
            let receiver = MailAddress(random.mutated("ada.b+c@mail.example.org", with: Self.words))?.text
            let subject = random.mutated("Your link for Players", with: Self.words)
            guard let sender, let receiver else { return false }
            let message = MailMessage(
                sender: sender, receiver: receiver, subject: subject, body: "b",
                date: Date(timeIntervalSince1970: 0),
                id: "1")
            let bytes = message.bytes
            #expect(
                bytes.allSatisfy { $0 < 0x80 && ($0 >= 0x20 || $0 == 13 || $0 == 10) }, "STRATUS_SEED=\(seed)"
            )
            let text = String(decoding: bytes, as: UTF8.self)
            let lines = text.components(separatedBy: "\r\n")
            #expect(
                lines.allSatisfy { !$0.utf8.contains(13) && !$0.utf8.contains(10) && $0.utf8.count <= 998 },
                "STRATUS_SEED=\(seed)")
            var fields: [(name: String, value: String)] = []
            for line in lines.prefix(while: { !$0.isEmpty }) {
                if line.hasPrefix(" "), !fields.isEmpty {
                    fields[fields.count - 1].value += line
                } else {
                    let end = try #require(line.firstIndex(of: ":"), "STRATUS_SEED=\(seed): \(line)")
                    fields.append((String(line[..<end]), String(line[end...].dropFirst(2))))
                }
            }
            #expect(fields.map(\.name) == Self.names, "STRATUS_SEED=\(seed): \(text)")
            let read = fields.first { $0.name == "Subject" }.map { Self.decoded($0.value) }
            #expect(read == subject, "STRATUS_SEED=\(seed)")
            #expect(fields.first { $0.name == "To" }?.value == "<\(receiver)>", "STRATUS_SEED=\(seed)")
            return true
        }
    }
}
