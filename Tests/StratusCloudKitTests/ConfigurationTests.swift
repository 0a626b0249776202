import CloudKit
import Foundation
import Testing

@testable import StratusCloudKit

@Suite struct ConfigurationTests {
    private func directory(_ file: String?) throws -> String {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        if let file {
            try Data(file.utf8).write(to: url.appendingPathComponent(FoundConfiguration.fileName))
        }
        return url.path
    }

    @Test("Variables win over the file's members")
    func precedence() throws {
        let directory = try directory(
            #"{"url":"https://file.example","container":"iCloud.file","environment":"production","apiToken":"f"}"#
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let found = FoundConfiguration.find(
            variables: ["STRATUS_URL": "https://env.example", "STRATUS_WEB_AUTH_TOKEN": "w"],
            directory: directory)
        #expect(found.problem == nil)
        #expect(found.service.url?.host == "env.example" && found.containerIdentifier == "iCloud.file")
        #expect(found.service.environment == .production)
        #expect(found.service.apiToken == "f" && found.service.webAuthToken == "w")
    }

    @Test(
        "What cannot be read is a problem with a sentence",
        arguments: [
            (["STRATUS_URL": "nonsense"], nil), (["STRATUS_ENVIRONMENT": "staging"], nil),
            (["STRATUS_CONFIG": "/does/not/exist"], nil), ([:], "{"),
        ] as [([String: String], String?)])
    func problems(variables: [String: String], file: String?) throws {
        let directory = try directory(file)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        #expect(FoundConfiguration.find(variables: variables, directory: directory).problem != nil)
    }

    @Test("Without a configuration everything runs, and requests say what is missing")
    func missing() async throws {
        let container = CKContainer(found: FoundConfiguration(), identifier: nil)
        let database = container.privateCloudDatabase
        let error = await cloudError {
            _ = try await database.records(matching: CKQuery(recordType: "T", predicate: alwaysTrue))
        }
        #expect(error?.code == .badContainer)
        #expect(error?.localizedDescription.contains("STRATUS_CONTAINER") == true)
        let named = CKContainer(found: FoundConfiguration(), identifier: "iCloud.x")
        let second = await cloudError { _ = try await named.userRecordID() }
        #expect(second?.localizedDescription.contains("STRATUS_URL") == true)
        #expect(try await container.accountStatus() == .noAccount)
    }

    @Test("The default container can be set in code")
    func setDefault() {
        let cloud = TestCloud()
        CKContainer.setDefault(cloud.container)
        #expect(CKContainer.default() === cloud.container)
        #expect(CKContainer.default().database(with: .private) === cloud.privateDatabase)
    }
}
