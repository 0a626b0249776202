import CloudKit
import CloudKitTesting
import CoreData
import Foundation
import Testing

@testable import Stores

/// What a test does in a cloud of its own.
func withCloud(_ work: (CKContainer) async throws -> Void) async throws {
    let cloud = try await TestCloud()
    do {
        try await work(try await cloud.container(user: "ada"))
    } catch {
        await cloud.close()
        throw error
    }
    await cloud.close()
}

/// The value that a call with a completion handler gives.
func wait<Value>(_ call: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
    await withCheckedContinuation { continuation in
        call { continuation.resume(returning: $0) }
    }
}

/// A value and an error of a completion handler, as one.
func outcome<Value>(_ call: (@escaping @Sendable (Value?, Error?) -> Void) -> Void) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        call { value, error in
            if let value = value {
                continuation.resume(returning: value)
            } else {
                continuation.resume(throwing: error ?? CKError(.internalError))
            }
        }
    }
}

func note(_ text: String, in zoneID: CKRecordZone.ID = .default) -> CKRecord {
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(zoneID: zoneID))
    record["text"] = text
    return record
}

/// A stack in a folder of its own.
func withStack(_ work: (Stack) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await work(Stack(url: folder.appendingPathComponent("Library.sqlite")))
}

/// What a service that is not there yet answers: an error that names the version, in good time.
func expectsNotServed(_ error: Error?, _ location: SourceLocation = #_sourceLocation) {
    guard let error = error as? CKError else {
        Issue.record("\(String(describing: error)) is no CKError", sourceLocation: location)
        return
    }
    let said = error.localizedDescription + String(describing: error.userInfo)
    #expect(said.contains("0."), "\(said) names no version", sourceLocation: location)
}
