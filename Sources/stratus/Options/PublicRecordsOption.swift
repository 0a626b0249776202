import ArgumentParser
import RecordStorage

/// `--public-records`: what becomes of the public records of somebody who is removed.
enum PublicRecordsOption {
    static let help = ArgumentHelp(
        "What becomes of public records of people whose accounts are deleted: 'keep' them, without who made them, or 'remove' them. Default: as it is; at first keep.",
        valueName: "keep|remove")

    /// For commands that remove somebody now.
    static let removalHelp = ArgumentHelp(
        "What becomes of the public records: 'keep' them, without who made them, or 'remove' them. Default: what 'stratus sign-in set' said.",
        valueName: "keep|remove")

    /// Reads the option; nil where it was not given.
    static func value(_ text: String?) throws -> ErasureRow.PublicRecords? {
        try text.map { text in
            guard let value = ErasureRow.PublicRecords(rawValue: text) else {
                throw Failure.usage(
                    "'\(text)' does not say what becomes of public records.", remedy: "Say keep or remove.")
            }
            return value
        }
    }
}
