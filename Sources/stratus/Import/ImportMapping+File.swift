import ArgumentParser
import RecordImport

extension ImportMapping {
    /// Makes a mapping for a file from its first rows.
    ///
    /// - Throws: a ``Failure`` when a column cannot be a field, or a rule names a column that is not there.
    init(recordType: String, rules: Rules, file: InputFile, sample: [ImportRow]) throws {
        let isCSV = if case .csv = file.kind { true } else { false }
        do {
            try self.init(
                recordType: recordType, rules: rules, isCSV: isCSV, file: file.path,
                fingerprint: file.fingerprint, sample: sample)
        } catch {
            throw Failure.usage(error.sentence, remedy: error.remedy)
        }
    }
}

extension FieldRule: ExpressibleByArgument {}
extension LocationRule: ExpressibleByArgument {}
extension RenameRule: ExpressibleByArgument {}
