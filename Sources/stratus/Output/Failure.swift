import ArgumentParser
import DemoData
import Foundation
import ObjectStorage
import Predicates
import RecordBackup
import RecordEngine
import RecordModel
import RecordStorage
import RecordTransfer
import RecordWire
import SignInClient

/// Why a command stopped, in the form in which people read it: a sentence, and what to do about it.
struct Failure: Error, CustomStringConvertible {
    /// The exit code of a call that was wrong (`EX_USAGE`).
    static let usageCode: Int32 = 64
    /// The exit code of everything else.
    static let failureCode: Int32 = 1

    /// What went wrong.
    var sentence: String
    /// What to do about it, best as a command.
    var remedy: String?
    /// What the process ends with.
    var exitCode: Int32

    /// A failure of the work itself.
    init(_ sentence: String, remedy: String? = nil) {
        self.sentence = sentence
        self.remedy = remedy
        exitCode = Self.failureCode
    }

    /// A failure of the call: a wrong flag, value or file name.
    static func usage(_ sentence: String, remedy: String? = nil) -> Failure {
        var failure = Failure(sentence, remedy: remedy)
        failure.exitCode = usageCode
        return failure
    }

    var description: String { remedy.map { "\(sentence)\n\($0)" } ?? sentence }
}

extension Failure {
    /// Puts any error into words; nil for those that the argument parser words itself.
    init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as StorageError:
            let cause = error.cause.map { " (\($0))" } ?? ""
            self.init(error.message + cause, remedy: error.remedy)
        case let error as BackupError:
            let cause = error.cause.map { " (\($0))" } ?? ""
            self.init(error.message + cause, remedy: error.remedy)
        case let error as ObjectStorageError:
            let cause = error.cause.map { " (\($0))" } ?? ""
            self.init(error.message + cause, remedy: error.remedy)
        case let error as DemoFilesError:
            let cause = (error.cause as? CocoaError).map { " " + Self.sentence(of: $0) } ?? ""
            self.init(error.message + cause, remedy: error.remedy)
        case let error as SignInProblem: self.init(error.sentence, remedy: error.remedy)
        case let error as TransferError: self.init(error.message, remedy: error.remedy)
        case let error as ServiceError: self.init("\(error.code): \(error.reason)", remedy: error.remedy)
        case let error as SchemaPreviewOutdated: self.init(error.sentence, remedy: error.remedy)
        case let error as ErrorDictionary:
            self.init(error.description, remedy: error.remedy)
        case let error as PredicateFormatError:
            self = .usage("The predicate is wrong.\n\(error)")
        case let error as JSONError: self.init(error.description)
        case is CancellationError: self.init("Stopped.")
        case let error as URLError: self.init(error.localizedDescription)
        case let error as CocoaError:
            self.init(Self.sentence(of: error), remedy: error.filePath.map { "The file is \($0)." })
        default: return nil
        }
    }

    /// Says plainly what Foundation says with numbers.
    private static func sentence(of error: CocoaError) -> String {
        switch error.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: "There is no such file."
        case .fileReadNoPermission: "This user may not read the file."
        case .fileWriteNoPermission: "This user may not write the file."
        case .fileWriteOutOfSpace: "The disk is full."
        case .fileWriteVolumeReadOnly: "The disk can only be read."
        case .fileReadUnknown, .fileReadCorruptFile: "The file cannot be read."
        case .fileWriteUnknown: "The file cannot be written."
        default: error.localizedDescription
        }
    }
}

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
