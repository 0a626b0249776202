import Foundation
import TestSupport
import Testing

@testable import ObjectStorage

/// A store whose answer never ends: who stops waiting for it finds no part of it in the folder.
@Suite(.timeLimit(.minutes(1))) struct S3CancellationTests {
    @Test func `What came of an object goes with the task that asked for it`() async throws {
        let server = try LoopbackServer { _ in .endless }
        defer { server.stop() }
        let directory = try TemporaryDirectory()
        let location = try S3Location("s3://bucket?endpoint=\(server.url)&addressing=path", environment: [:])
        let store = S3Store(location, credentials: S3Credentials(accessKey: "a", secret: "b"))
        let path = directory.path + "/object"
        let reading = Task { try await store.get("object", toFile: path) }
        #expect(try await eventually { FileManager.default.fileExists(atPath: path) })
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
