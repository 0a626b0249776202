import CloudKit
import StratusCloudKit
import Testing

/// `database.notifications()` against a service that answers from a script.
@Suite struct NotificationPollTests {
    private static func receiver(_ name: String) -> ScriptedTransport.Answer {
        .json(
            #"{"apnsToken":"t","notificationID":"0-\#(name)","webcourierURL":"https://records.test/courier/\#(name)"}"#
        )
    }

    private static let forgotten = ScriptedTransport.Answer.json(
        #"{"serverErrorCode":"NOT_FOUND","reason":"There is no such receiver."}"#, status: 404)

    /// The ends of the paths that were asked for.
    private func asked(_ cloud: TestCloud) -> [String] {
        cloud.transport.requests.map { request in
            request.path.split(separator: "/").suffix(2).joined(separator: "/")
        }
    }

    @Test("A new receiver is there before the app is told to start again")
    func startAgain() async throws {
        let cloud = TestCloud(
            Self.receiver("one"), Self.forgotten, Self.receiver("two"),
            .json(#"{"aps":{},"ck":{"nid":"7-1","cid":"c","met":{"dbs":1,"sid":"s"}}}"#))
        var events = cloud.privateDatabase.notifications().makeAsyncIterator()
        guard case .startAgain = try await events.next() else {
            Issue.record("a notification came instead")
            return
        }
        #expect(asked(cloud) == ["tokens/create", "courier/one", "tokens/create"])
        guard case .notification(let notification) = try await events.next() else {
            Issue.record("no notification came")
            return
        }
        #expect(notification.subscriptionID == "s")
        #expect(asked(cloud).last == "courier/two")
        #expect(cloud.transport.requests.last?.queryItems.map(\.value) == ["0-two"])
    }

    @Test("A receiver that cannot be made for now is made later, and only then is the app told")
    func brokenNetwork() async throws {
        let cloud = TestCloud(
            Self.receiver("one"), Self.forgotten,
            .failure(.offline("no network")), Self.receiver("two"))
        var events = cloud.privateDatabase.notifications().makeAsyncIterator()
        guard case .startAgain = try await events.next() else {
            Issue.record("a notification came instead")
            return
        }
        #expect(asked(cloud) == ["tokens/create", "courier/one", "tokens/create", "tokens/create"])
    }

    @Test("A refusal of another receiver ends the sequence")
    func refusal() async throws {
        let cloud = TestCloud(
            Self.receiver("one"), Self.forgotten,
            .json(#"{"serverErrorCode":"AUTHENTICATION_REQUIRED","reason":"who?"}"#, status: 421))
        var events = cloud.privateDatabase.notifications().makeAsyncIterator()
        let error = await #expect(throws: CKError.self) { try await events.next() }
        #expect(error?.code == .notAuthenticated)
    }
}
