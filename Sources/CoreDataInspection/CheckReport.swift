/// What a check of one store found.
public struct CheckReport: Sendable, Codable, Equatable {
    /// How a check ended.
    public enum Verdict: String, Sendable, Codable {
        /// Everything was read, and equals plain SQL.
        case clean
        /// The same, but the store itself is not as the rules say: keys that lead nowhere, for example.
        case odd
        /// Something was read otherwise than plain SQL reads it, or could not be read at all.
        case failed
        /// The file is no store of Core Data.
        case notAStore
    }

    /// The path of the store.
    public var path: String
    /// How the check ended.
    public var verdict = Verdict.clean
    /// Why the store could not be opened or read.
    public var error: String?
    /// The version of the framework that wrote it.
    public var frameworkVersion: Int?
    /// Where the model came from: `cache`, `file` or `tables`.
    public var modelOrigin: String?
    /// The number of entities.
    public var entities = 0
    /// The number of objects that were read.
    public var objects = 0
    /// The number of values of attributes that were compared.
    public var values = 0
    /// The number of relationships of objects that were compared.
    public var relationships = 0
    /// What Core Data read otherwise than SQL; the first of each kind, then how many more.
    public var differences: [String] = []
    /// What in the store is not as the rules say.
    public var oddities: [String] = []
    /// What the check could not look at, and why.
    public var notes: [String] = []

    init(path: String) { self.path = path }

    /// One line: verdict, path, numbers.
    public var line: String {
        let numbers =
            "\(entities) entities, \(objects) objects, \(values) values, \(relationships) relationships"
        let origin = modelOrigin == "tables" ? ", no model in the store" : ""
        switch verdict {
        case .clean: return "ok      \(path): \(numbers)\(origin)"
        case .odd: return "odd     \(path): \(numbers)\(origin), \(oddities.count) oddities"
        case .failed:
            return "FAILED  \(path): \(error ?? "\(numbers)\(origin), \(differences.count) differences")"
        case .notAStore: return "skipped \(path): \(error ?? "no store of Core Data")"
        }
    }
}

/// Collects findings, the first few of each kind in full.
struct FindingList {
    private var texts: [String] = []
    private var counts: [String: Int] = [:]
    private var order: [String] = []
    private static let shown = 3

    var isEmpty: Bool { order.isEmpty }

    /// Adds a finding; `kind` is what findings are counted by.
    mutating func add(_ kind: String, _ detail: @autoclosure () -> String) {
        let count = (counts[kind] ?? 0) + 1
        counts[kind] = count
        if count == 1 { order.append(kind) }
        if count <= Self.shown { texts.append("\(kind): \(detail())") }
    }

    /// The findings, then how many were left out of each kind.
    var list: [String] {
        texts
            + order.compactMap { kind in
                let more = (counts[kind] ?? 0) - Self.shown
                return more > 0 ? "\(kind): \(more) more" : nil
            }
    }
}
