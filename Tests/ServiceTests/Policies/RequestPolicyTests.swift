import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOEmbedded
import RecordModel
import RecordStorage
import Synchronization
import TestSeeds
import Testing

@testable import RecordEngine
@testable import RecordServer

/// Each policy that a request entered is left once, in the opposite order, whatever became of the request.
@Suite struct RequestPolicyTests {
    private final class Journal: Sendable {
        private let state = Mutex((entered: [Int](), left: [Int]()))

        var entered: [Int] { state.withLock { $0.entered } }
        var left: [Int] { state.withLock { $0.left } }
        func enter(_ number: Int) { state.withLock { $0.entered.append(number) } }
        func leave(_ number: Int) { state.withLock { $0.left.append(number) } }
    }

    private enum Event: CaseIterable { case passes, waits, moves, refuses, isCancelled }

    /// A policy to which something happens. It holds a body while it is entered.
    private struct Eventful: RequestPolicy {
        let number: Int
        let event: Event
        let journal: Journal

        func enter(_ passage: inout RequestPassage) async throws {
            switch event {
            case .passes: break
            case .waits: await Task.yield()
            case .moves: passage.executor = PartyExecutor(width: 1)
            case .refuses: throw ServiceError(.throttled, "Refused by \(number).")
            case .isCancelled:
                withUnsafeCurrentTask { $0?.cancel() }
                try Task.checkCancellation()
            }
            passage.workBytes += 1
            journal.enter(number)
        }

        func leave(_ passage: inout RequestPassage, _ response: inout Response) {
            passage.workBytes -= 1
            journal.leave(number)
        }
    }

    private static func passage(
        _ method: HTTPRequest.Method = .get, _ path: String = "/", from address: String? = nil
    ) throws -> RequestPassage {
        let head = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path)
        let channel = EmbeddedChannel()
        channel.remoteAddress = try address.map { try SocketAddress(ipAddress: $0, port: 1) }
        return RequestPassage(
            Request(head: head, body: RequestBody(buffer: ByteBuffer())), channel, TrustedProxies())
    }

    @Test(arguments: Seed.some(200))
    func `What was entered is left once, from the last to the first`(seed: Seed) async throws {
        var random = seed.random
        let journal = Journal()
        let events = (0..<random.int(1...12)).map { _ in
            random.oneIn(6) ? random.pick(Event.allCases, else: .passes) : .passes
        }
        let policies = RequestPolicies(
            events.enumerated().map { Eventful(number: $0, event: $1, journal: journal) })
        let answerFails = random.oneIn(4)
        let isRefused = events.contains { $0 == .refuses || $0 == .isCancelled }
        let status = try await Task {
            var passage = try Self.passage()
            let response = await policies.pass(&passage) { passage in
                #expect(passage.workBytes == events.count)
                if answerFails { throw ServiceError(.internalError, "It failed.") }
                return Response(status: .ok)
            } failure: { _, _ in
                Response(status: .badRequest)
            }
            #expect(passage.holdsNothing)
            return response.status
        }.value
        let passed = events.prefix { $0 != .refuses && $0 != .isCancelled }.count
        #expect(journal.entered == Array(0..<passed))
        #expect(journal.left == journal.entered.reversed())
        #expect(status == (isRefused || answerFails ? .badRequest : .ok))
    }

    @Test func `Visitors of one app are told apart by their addresses when reads take turns`() async throws {
        try await ServiceFixture.with { fixture in
            let policies = RequestPolicies([
                RoutingPolicy(address: PublicAddress(), sites: [], start: nil),
                AdmissionPolicy(service: fixture.service),
            ])
            var parties: Set<ReadParty> = []
            for address in ["203.0.113.7", "198.51.100.7"] {
                let path = "/database/1/iCloud.test/development/public/records/query"
                var passage = try Self.passage(
                    .post, path + "?ckAPIToken=\(ServiceFixture.apiToken)", from: address)
                _ = await policies.pass(&passage) { passage in
                    parties.insert(try #require(passage.admission?.context?.party))
                    return Response(status: .ok)
                } failure: { error, _ in
                    Issue.record(error)
                    return Response(status: .badRequest)
                }
            }
            #expect(parties.count == 2)
        }
    }
}
