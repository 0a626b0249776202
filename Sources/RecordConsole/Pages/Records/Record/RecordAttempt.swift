import RecordEngine
import RecordModel
import RecordWire

extension RecordPages {
    /// What a page shows besides the record: what was typed, where it could not be saved.
    struct Attempt {
        /// Why saving failed.
        var problem: Problem?
        /// What was typed.
        var form: FormValues?
        /// The fields that the form was opened with.
        var base: JSONObject?
        var status = 200
    }

    /// Why saving failed.
    struct Problem {
        var reason: String
        var remedy: String?
        /// A line of the JSON, and a caret below the position.
        var caret: String?
        /// The field that it is about, where it is one of the form's.
        var mistake: RecordFormError?

        init(reason: String, remedy: String? = nil) {
            self.reason = reason
            self.remedy = remedy
        }

        /// What the form says of an error that the person can fix.
        ///
        /// - Throws: any other error, as it is.
        init(_ error: any Error) throws {
            switch error {
            case let error as ErrorDictionary:
                reason = error.reason ?? error.serverErrorCode
                remedy = error.remedy
            case let error as ServiceError:
                reason = error.reason
                remedy = error.remedy
            case let error as RecordFormError:
                reason = "\(error.field): \(error.message)"
                remedy = error.remedy
                mistake = error
            case let error as JSONFieldsError:
                reason = error.message
                caret = error.caret
            default: throw error
            }
        }

        var model: RecordProblem { RecordProblem(reason: reason, remedy: remedy, caret: caret) }
    }
}
