import ArgumentParser
import RecordEngine
import RecordWire

/// `stratus webhook send`
struct WebhookSendCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send again what a webhook's receiver did not accept, or send a test.",
        discussion: """
            A delivery that is not taken is tried for a day, and then waits for this command. With --test, one that is \
            about no change goes out from here, and the answer is shown.

            EXAMPLES
              stratus webhook send wh3f9a1c20be77 --container iCloud.com.example.app
              stratus webhook send wh3f9a1c20be77 --test --container iCloud.com.example.app
            """)

    @Argument(help: "The webhook's id, from 'webhook list'.")
    var id: String

    @Flag(help: "Send a test.")
    var test = false

    @Option(Settings.webhookTargets) var webhookTargets: String?

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        guard test else {
            let count = try await data.withStore {
                try await Webhooks.sendAgain(id, of: tenant, store: $0, environment: .system)
            }
            guard output.json else {
                return Console.standard.note(
                    count == 0
                        ? "Nothing is held back."
                        : "The server sends what waits in \(count) zones, within a second.")
            }
            return Console.standard.line(
                json: JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("zones", count)
                    writer.endObject()
                })
        }
        let flags = data.flags.merging([Settings.webhookTargets.key: webhookTargets]) { $1 }
        let carrier = WebhookCarrier(targets: try ServerSettings.resolve(flags: flags).webhookTargets)
        let answer = try await data.withStore {
            try await Webhooks.sendTest(id, of: tenant, over: carrier, store: $0, environment: .system)
        }
        if output.json {
            Console.standard.line(
                json: JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("taken", answer.isTaken)
                    writer.member("answer", answer.text)
                    writer.endObject()
                })
        }
        guard answer.isTaken else {
            if case .none = answer {
                throw Failure(
                    "The receiver was not reached: \(answer.text)",
                    remedy: "The test left from here, by this command's settings, not the server's.")
            }
            throw Failure(
                "The receiver did not take the test: \(answer.text)",
                remedy: "Check the receiver's own log.")
        }
        if !output.json { Console.standard.note("The receiver took the test: \(answer.text).") }
    }
}
