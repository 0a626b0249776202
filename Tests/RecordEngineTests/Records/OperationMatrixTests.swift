import RecordWire
import TestSupport
import Testing

/// What each operation does, by whether the record is there and which change tag came.
@Suite struct OperationMatrixTests {
    enum State: String, Sendable, CaseIterable { case absent, absentWithTag, tagEqual, tagDiffers, noTag }

    struct Scenario: Sendable, CustomTestStringConvertible {
        var operation: OperationType
        var state: State
        /// The error; nil where the operation is done.
        var code: String?
        /// The fields of the record afterwards; nil where there is none.
        var after: [String: Int64]?
        var testDescription: String { "\(operation.rawValue) on \(state.rawValue)" }
    }

    static let kept: [String: Int64] = ["a": 1, "b": 2]
    static let merged: [String: Int64] = ["a": 10, "b": 2]
    static let alone: [String: Int64] = ["a": 10]

    static let scenarios: [Scenario] = [
        Scenario(operation: .create, state: .absent, after: alone),
        Scenario(operation: .create, state: .absentWithTag, after: alone),
        Scenario(operation: .create, state: .tagEqual, code: "CONFLICT", after: kept),
        Scenario(operation: .create, state: .tagDiffers, code: "CONFLICT", after: kept),
        Scenario(operation: .create, state: .noTag, code: "CONFLICT", after: kept),
        Scenario(operation: .update, state: .absent, code: "NOT_FOUND"),
        Scenario(operation: .update, state: .absentWithTag, code: "NOT_FOUND"),
        Scenario(operation: .update, state: .tagEqual, after: merged),
        Scenario(operation: .update, state: .tagDiffers, code: "CONFLICT", after: kept),
        Scenario(operation: .update, state: .noTag, code: "BAD_REQUEST", after: kept),
        Scenario(operation: .forceUpdate, state: .absent, after: alone),
        Scenario(operation: .forceUpdate, state: .absentWithTag, after: alone),
        Scenario(operation: .forceUpdate, state: .tagEqual, after: merged),
        Scenario(operation: .forceUpdate, state: .tagDiffers, after: merged),
        Scenario(operation: .forceUpdate, state: .noTag, after: merged),
        Scenario(operation: .replace, state: .absent, code: "NOT_FOUND"),
        Scenario(operation: .replace, state: .absentWithTag, code: "NOT_FOUND"),
        Scenario(operation: .replace, state: .tagEqual, after: alone),
        Scenario(operation: .replace, state: .tagDiffers, code: "CONFLICT", after: kept),
        Scenario(operation: .replace, state: .noTag, code: "BAD_REQUEST", after: kept),
        Scenario(operation: .forceReplace, state: .absent, after: alone),
        Scenario(operation: .forceReplace, state: .absentWithTag, after: alone),
        Scenario(operation: .forceReplace, state: .tagEqual, after: alone),
        Scenario(operation: .forceReplace, state: .tagDiffers, after: alone),
        Scenario(operation: .forceReplace, state: .noTag, after: alone),
        // Of no version here: what it does with one is in VersionTests.
        Scenario(operation: .restore, state: .absent, code: "NOT_FOUND"),
        Scenario(operation: .restore, state: .absentWithTag, code: "NOT_FOUND"),
        Scenario(operation: .restore, state: .tagEqual, code: "NOT_FOUND", after: kept),
        Scenario(operation: .restore, state: .tagDiffers, code: "CONFLICT", after: kept),
        Scenario(operation: .restore, state: .noTag, code: "NOT_FOUND", after: kept),
        Scenario(operation: .delete, state: .absent, code: "NOT_FOUND"),
        Scenario(operation: .delete, state: .absentWithTag, code: "NOT_FOUND"),
        Scenario(operation: .delete, state: .tagEqual),
        Scenario(operation: .delete, state: .tagDiffers, code: "CONFLICT", after: kept),
        Scenario(operation: .delete, state: .noTag, code: "BAD_REQUEST", after: kept),
        Scenario(operation: .forceDelete, state: .absent),
        Scenario(operation: .forceDelete, state: .absentWithTag),
        Scenario(operation: .forceDelete, state: .tagEqual),
        Scenario(operation: .forceDelete, state: .tagDiffers),
        Scenario(operation: .forceDelete, state: .noTag),
    ]

    @Test func `The table is whole`() {
        #expect(Self.scenarios.count == OperationType.allCases.count * State.allCases.count)
    }

    @Test(arguments: [nil, "Zone"] as [String?])
    func `Each operation does what the table says`(_ zone: String?) async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            for (number, scenario) in Self.scenarios.enumerated() {
                try await check(scenario, name: "r\(number)", zone: zone, cloud)
            }
        }
    }

    private func check(_ scenario: Scenario, name: String, zone: String?, _ cloud: TestCloud) async throws {
        var tag: String?
        switch scenario.state {
        case .absent: break
        case .absentWithTag: tag = "zz"
        case .tagEqual, .tagDiffers, .noTag:
            let current = try await cloud.save(name, ["a": ["value": 1], "b": ["value": 2]], zone: zone)
            if scenario.state == .tagEqual { tag = current }
            if scenario.state == .tagDiffers { tag = current + "0" }
        }
        let before = try await cloud.record(name, zone: zone)
        var operation = TestCloud.operation(
            scenario.operation.rawValue, name, tag: tag,
            fields: scenario.operation.isDelete ? nil : ["a": ["value": 10]])
        if scenario.operation == .restore { operation = operation.with("versionTag", "zz") }
        let answer = try await cloud.modify([operation], zone: zone)
        #expect(answer.status == 200)
        #expect(answer.codes == [scenario.code], "\(scenario.testDescription): \(answer.json.text)")
        let item = answer.json["records"][0]
        #expect(item["recordName"] == .string(name))
        let after = try await cloud.record(name, zone: zone)
        let fields = after.map { record in
            Dictionary(
                uniqueKeysWithValues: (record["fields"].object?.members ?? []).map {
                    ($0.key, $0.value["value"].int)
                })
        }
        #expect(fields == scenario.after.map { $0.mapValues { $0 } }, "\(scenario.testDescription)")
        if scenario.code == "CONFLICT" {
            #expect(item["serverRecord"] == before, "\(scenario.testDescription)")
        } else {
            #expect(item["serverRecord"] == .null)
        }
        if scenario.code == nil {
            if scenario.operation.isDelete {
                #expect(item["deleted"] == true)
            } else {
                #expect(item == after)
                #expect(after?["recordChangeTag"] != before?["recordChangeTag"])
                #expect(before == nil || after?["created"] == before?["created"])
                #expect(before == nil || after?["modified"] != before?["modified"])
            }
        } else {
            #expect(after == before, "\(scenario.testDescription) left a trace")
        }
    }
}
