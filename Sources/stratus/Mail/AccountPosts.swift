import CurlAccess
import Foundation
import Logging
import RecordConsole
import RecordEngine
import RecordModel

/// Hands mails in at a server for them; one that is not taken is tried again twice.
struct SMTPPost: AccountPost, LoggingPost {
    let server: CurlMail.Server
    let sender: MailSender
    let logger: Logger

    var reachesPeople: Bool { true }

    private static let waits: [Duration] = [.seconds(2), .seconds(30)]

    func send(_ mail: AccountMail) async {
        let letter = AccountLetter(mail)
        let message = MailMessage(
            sender: sender, receiver: mail.address.text, subject: letter.subject, body: letter.body,
            date: Date(timeIntervalSince1970: Double(Clock.milliseconds) / 1_000),
            id: AccessToken.make(random: Random.bytes(16)))
        let transfer = CurlMail(sender: sender.address, receiver: mail.address.text, text: message.bytes)
        for wait in Self.waits + [nil] {
            do {
                try await transfer.send(to: server)
                logger.info("mail", metadata: ["kind": "\(mail.kind.rawValue)"])
                return
            } catch {
                // Neither address nor link: both are a person's.
                logger.error(
                    "A mail was not taken.",
                    metadata: ["kind": "\(mail.kind.rawValue)", "error": "\(error)"])
                guard let wait, (try? await Task.sleep(for: wait)) != nil else { return }
            }
        }
    }
}

extension AccountPost where Self: LoggingPost {
    func noteFailure(_ error: any Error) {
        logger.error("A mail that was asked for could not be written.", metadata: ["error": "\(error)"])
    }
}

/// Has a log.
protocol LoggingPost {
    var logger: Logger { get }
}

/// Gives links to operators, where no server for mails is set: to their log and to the console.
struct OperatorPost: AccountPost, LoggingPost {
    let links: KeptLinks
    let logger: Logger

    var reachesPeople: Bool { false }

    func send(_ mail: AccountMail) async {
        guard let link = mail.link else { return }
        links.keep(mail, link: link, now: Clock.milliseconds)
        logger.notice(
            "No server for mails is set: give this link to the person.",
            metadata: ["address": "\(mail.address)", "kind": "\(mail.kind.rawValue)", "link": "\(link)"])
    }
}

extension CurlMail.Server {
    /// Reads `smtps://user:password@host:465` or `smtp://host`; nil for anything else.
    ///
    /// TLS is a must except on this machine, where a server for mails often has none.
    init?(address: String, certificates: String?) {
        guard let parts = URLComponents(string: address), let scheme = parts.scheme,
            ["smtp", "smtps"].contains(scheme), let host = parts.host, !host.isEmpty,
            parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil
        else { return nil }
        let port = parts.port ?? (scheme == "smtps" ? 465 : 587)
        self.init(
            url: "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)", user: parts.user,
            password: parts.password, certificates: certificates,
            allowsPlain: ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host))
    }
}
