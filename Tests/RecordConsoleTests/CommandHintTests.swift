import Foundation
import RecordConsole
import Testing

/// Commands that pages offer for pasting name the folder of the data, to operators only.
@Suite struct CommandHintTests {
    private static let settings = ConsoleSettings(
        version: "test", completingCommands: { $0.replacing("stratus ", with: "stratus --in-folder ") })

    @Test func `Operators read commands that they can paste`() async throws {
        try await ConsoleFixture.with(settings: Self.settings) { fixture in
            let browser = try await fixture.signedIn()
            let page = try await browser.get("/console/c/iCloud.test/development/schema/deploy")
            #expect(page.text.contains("stratus --in-folder schema deploy --container iCloud.test"))
        }
    }

    @Test func `Strangers are not told where the data lies`() async throws {
        try await ConsoleFixture.with(settings: Self.settings) { fixture in
            let page = try await Browser(url: fixture.url).post("/console/enter/0123", [:])
            #expect(page.status >= 400)
            #expect(page.text.contains("stratus operator link NAME"))
            #expect(!page.text.contains("--in-folder"))
        }
    }
}
