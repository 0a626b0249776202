import CurlAccess
import Testing

@testable import stratus

/// The address of a server for mails.
@Suite struct MailServerTests {
    @Test func `A server for mails has TLS unless it is on this machine`() throws {
        let far = try #require(
            CurlMail.Server(address: "smtp://u:p%40%3A@mail.example.org", certificates: "/c"))
        #expect(far.url == "smtp://mail.example.org:587" && !far.allowsPlain)
        #expect(far.user == "u" && far.password == "p@:" && far.certificates == "/c")
        #expect(CurlMail.Server(address: "smtp://127.0.0.1:25", certificates: nil)?.allowsPlain == true)
        #expect(CurlMail.Server(address: "smtps://h", certificates: nil)?.url == "smtps://h:465")
        for wrong in ["", "mail.example.org", "http://h", "smtp://", "smtp://h/path", "smtp://h?x=1"] {
            #expect(CurlMail.Server(address: wrong, certificates: nil) == nil, "\(wrong)")
        }
    }
}
