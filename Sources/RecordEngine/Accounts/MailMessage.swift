package import Foundation
import RecordWire

/// A mail as text (RFC 5322): plain text in UTF-8, whatever is in its subject.
package struct MailMessage {
    /// The sender with brackets, and a name perhaps: `Players <noreply@example.org>`.
    var sender: MailSender
    package var receiver: String
    package var subject: String
    package var body: String
    var date: Date
    /// What no other mail has.
    var id: String

    /// Collects the parts.
    package init(
        sender: MailSender, receiver: String, subject: String, body: String, date: Date, id: String
    ) {
        self.sender = sender
        self.receiver = receiver
        self.subject = subject
        self.body = body
        self.date = date
        self.id = id
    }

    /// The bytes to send.
    package var bytes: [UInt8] {
        let lines =
            [
                "From: \(sender.header)", "To: <\(receiver)>",
                "Subject: \(Self.encodedWords(subject, after: "Subject: ".count))",
                "Date: \(Self.text(of: date))", "Message-ID: <\(id)@\(sender.domain)>", "MIME-Version: 1.0",
                "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64",
                "Auto-Submitted: auto-generated", "",
            ] + Self.wrapped(Base64.encode(Array(body.replacing("\n", with: "\r\n").utf8)))
        return Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
    }

    /// Lines of 76 characters at most.
    private static func wrapped(_ text: String) -> [String] {
        var rest = Array(text.utf8)[...]
        var lines: [String] = []
        while !rest.isEmpty {
            lines.append(String(decoding: rest.prefix(76), as: UTF8.self))
            rest = rest.dropFirst(76)
        }
        return lines
    }

    /// A text as encoded words (RFC 2047), each with whole characters: whatever is in it, it ends no line.
    static func encodedWords(_ text: String, after column: Int = 0) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?")
        if isPlain, column + text.utf8.count <= 76 { return text }
        var words: [String] = []
        var piece: [UInt8] = []
        // 39 bytes are 52 letters, and a word has at most 75 characters with what is around them.
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if piece.count + bytes.count > 39 {
                words.append(word(piece))
                piece = []
            }
            piece += bytes
        }
        if !piece.isEmpty { words.append(word(piece)) }
        return words.joined(separator: "\r\n ")
    }

    private static func word(_ bytes: [UInt8]) -> String { "=?utf-8?B?\(Base64.encode(bytes))?=" }

    /// `Sun, 22 Nov 2026 21:57:00 +0000`
    static func text(of date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss '+0000'"
        return formatter.string(from: date)
    }
}

/// From whom mails are.
package struct MailSender: Hashable, Sendable {
    /// What people read; empty for the address alone.
    var name: String
    /// The address.
    package var address: String

    /// Of a server that is reached by an address without a name.
    package static let local = MailSender(name: "", address: "stratus@localhost")

    private init(name: String, address: String) {
        self.name = name
        self.address = address
    }

    /// Reads `Name <address>` or an address; nil for anything else.
    package init?(_ text: String) {
        let plain = text.trimmingCharacters(in: .whitespaces)
        var address = plain
        name = ""
        if plain.hasSuffix(">"), let open = plain.lastIndex(of: "<") {
            address = String(plain[plain.index(after: open)...].dropLast())
            name = plain[..<open].trimmingCharacters(in: CharacterSet(charactersIn: " \""))
        }
        guard let parsed = MailAddress(address), !name.contains(where: { $0.isNewline || "<>".contains($0) })
        else { return nil }
        self.address = parsed.text
    }

    var domain: String { address.split(separator: "@").last.map(String.init) ?? "localhost" }

    /// The value of the header. The name is quoted: signs that mean something in a header do not there.
    package var header: String {
        guard !name.isEmpty else { return "<\(address)>" }
        guard name.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return "\(MailMessage.encodedWords(name)) <\(address)>"
        }
        let quoted = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(quoted)\" <\(address)>"
    }
}
