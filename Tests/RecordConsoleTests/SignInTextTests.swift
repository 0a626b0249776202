import Foundation
import RecordEngine
import RecordModel
import Testing

@testable import RecordConsole

/// The texts of the sign-in page and of mails.
@Suite struct SignInTextTests {
    @Test(arguments: SignInText.allCases)
    func `Each text is there in each language, with the same values to fill in`(_ text: SignInText) throws {
        let row = try #require(SignInText.table[text], "\(text.rawValue) has no row.")
        #expect(row.count == SignInLanguage.allCases.count)
        let places = row.map { Set($0.matches(of: /\{([a-z]+)\}/).map { String($0.1) }) }
        for (language, found) in zip(SignInLanguage.allCases, places) {
            #expect(found == places[0], "\(text.rawValue) in \(language)")
        }
        #expect(row.allSatisfy { !$0.isEmpty && !$0.contains("\n") && !$0.hasSuffix(" ") })
    }

    @Test func `Braces in a value are filled in by nothing`() {
        #expect(
            SignInText.signInTo.text(.en, ["app": "{address}", "address": "x"]) == "Sign in to {address}")
    }

    @Test(arguments: [
        ("de-AT,de;q=0.9,en;q=0.5", "de"), ("xx, fr;q=0.8, es;q=0.9", "es"), ("", "en"), ("ja", "ja"),
        ("*", "en"),
        ("en;q=0, fr", "fr"), ("q=;;,,*;q=z", "en"), ("FR-ca", "fr"), ("es;q=0.5,de;q=0.5", "es"),
    ])
    func `The browser's first language that there is counts`(_ accepted: String, _ code: String) {
        #expect(SignInLanguage(accepted: accepted).rawValue == code)
    }

    @Test(arguments: AccountMail.Kind.allCases, SignInLanguage.allCases)
    func `A mail has one line as its subject, and its link alone on a line`(
        _ kind: AccountMail.Kind, _ language: SignInLanguage
    ) throws {
        let letter = AccountLetter(try Self.mail(kind, language.rawValue, link: "https://h/link"))
        #expect(letter.subject.contains("Players") && !letter.subject.contains("\n"))
        #expect(letter.body.split(separator: "\n").contains("https://h/link"))
        #expect(!letter.body.contains("{"))
    }

    private static func mail(_ kind: AccountMail.Kind, _ language: String, link: String?) throws
        -> AccountMail
    {
        AccountMail(
            kind: kind, address: try #require(MailAddress("ada@example.org")),
            tenant: Tenant(container: try ContainerID("iCloud.test"), environment: .development),
            title: "Players", language: language, link: link, lifetimeMilliseconds: 3_600_000)
    }
}
