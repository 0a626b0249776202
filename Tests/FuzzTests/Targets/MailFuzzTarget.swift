import Foundation
import RecordEngine
import RecordWire

extension FuzzTarget {
    private static let headers = [
        "From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type",
        "Content-Transfer-Encoding", "Auto-Submitted",
    ]

    /// Mails: the sender's name and address, the receiver, the subject and the text. A mail has the headers that it is written
    /// with and no other.
    static func mails() -> FuzzTarget {
        FuzzTarget(
            name: "mails",
            seeds: [
                [
                    "Players and more <players@example.org>", "ada.b+c@mail.example.org", "Your link",
                    "Hello\n",
                ],
                [
                    "\"Spieler, groß\" <a@b.example>", "ü@example.org", "Ihr Link für Players 日本",
                    "Zeile\r\nZwei",
                ],
                ["a@b.example", "x@y.example", String(repeating: "long ", count: 40), ""],
            ].map(input),
            words: [
                "\r\n", "\n", "\r", "Bcc: eve@example.org", "=?utf-8?B?", "?=", "\"", "\\", "<", ">", ",",
                ";",
                ":", "\0", "\u{2028}", "é", "日本", "\u{85}", "\u{7F}", " ", "\t", "@", "..", "xn--", "()",
            ], count: 6_000
        ) { input in
            let parts = texts(input, 4)
            guard let sender = MailSender(parts[0]), let receiver = MailAddress(parts[1])?.text else {
                return false
            }
            let message = MailMessage(
                sender: sender, receiver: receiver, subject: parts[2], body: parts[3],
                date: Date(timeIntervalSince1970: 0), id: "1")
            try check(message, String(decoding: message.bytes, as: UTF8.self))
            return true
        }
    }

    private static func check(_ message: MailMessage, _ text: String) throws {
        try Forgery.unless(
            text.utf8.allSatisfy { $0 < 0x7F && ($0 >= 0x20 || $0 == 13 || $0 == 10) }, "A letter is none.")
        let lines = text.components(separatedBy: "\r\n")
        try Forgery.unless(
            lines.allSatisfy { !$0.utf8.contains(13) && !$0.utf8.contains(10) && $0.utf8.count <= 998 },
            "A line ends in the middle, or is too long.")
        var fields: [(name: String, value: String)] = []
        for line in lines.prefix(while: { !$0.isEmpty }) {
            if line.hasPrefix(" "), !fields.isEmpty {
                fields[fields.count - 1].value += line
            } else if let end = line.firstIndex(of: ":") {
                fields.append((String(line[..<end]), String(line[end...].dropFirst(2))))
            } else {
                throw Forgery("A line of the head is no header: \(line)")
            }
        }
        try Forgery.unless(fields.map(\.name) == headers, "Other headers: \(fields.map(\.name))")
        try Forgery.unless(fields[1].value == "<\(message.receiver)>", "Another receiver: \(fields[1].value)")
        try Forgery.unless(decoded(fields[2].value) == message.subject, "Another subject: \(fields[2].value)")
        let body = lines.drop { !$0.isEmpty }.joined()
        try Forgery.unless(
            Base64.decode(body).map { String(decoding: $0, as: UTF8.self) }
                == message.body.replacing("\n", with: "\r\n"), "Another text.")
    }

    /// A subject as a reader of mails has it (RFC 2047).
    private static func decoded(_ value: String) -> String {
        guard value.contains("=?utf-8?B?") else { return value }
        let bytes = value.components(separatedBy: " ").flatMap { word in
            Base64.decode(String(word.dropFirst("=?utf-8?B?".count).dropLast(2))) ?? []
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
