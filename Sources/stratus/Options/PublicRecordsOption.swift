import ArgumentParser
import RecordStorage

/// `--public-records`: what becomes of the public records of somebody who is removed.
enum PublicRecordsOption {
    static let help = ArgumentHelp(
        "What happens to public records of people whose accounts are deleted: 'keep' them without their creator, or 'remove' them. Default: no change; initially keep.",
        valueName: "keep|remove")

    /// For commands that remove somebody now.
    static let removalHelp = ArgumentHelp(
        "What happens to the public records: 'keep' them without their creator, or 'remove' them. Default: what 'stratus sign-in set' says.",
        valueName: "keep|remove")

    /// Reads the option; nil where it was not given.
    static func value(_ text: String?) throws -> ErasureRow.PublicRecords? {
        try text.map { text in
            guard let value = ErasureRow.PublicRecords(rawValue: text) else {
                throw Failure.usage(
                    "'\(text)' does not say what becomes of public records.", remedy: "Use keep or remove.")
            }
            return value
        }
    }
}
