public import RecordModel

/// A failure on the wire: of a whole request, or in the place of one item (Documentation/Protocol.md, 'Errors').
public struct ErrorDictionary: Error, Hashable, Sendable, CustomStringConvertible {
    /// The request's id, under which the service's log has it.
    public var uuid: String?
    /// The code, `CONFLICT` for example.
    public var serverErrorCode: String
    /// What is wrong.
    public var reason: String?
    /// What to do about it; our extension.
    public var remedy: String?
    /// How many seconds to wait before trying again; nil means that it does not help.
    public var retryAfter: Double?
    /// Where a user can sign in.
    public var redirectURL: String?
    /// The limit of the service that was exceeded, by its name in `/limits`; nil where it is something else that is wrong, a
    /// full account for example. Our extension.
    public var exceededLimit: String?
    /// The record that failed.
    public var recordName: String?
    /// The zone that failed.
    public var zoneID: ZoneID?
    /// For conflicts, the record that the service has; our extension.
    public var serverRecord: JSONObject?
    /// The number that the error has in CloudKit's own clients, where the wire's code says less; our extension.
    public var nativeCode: Int?
    /// Whether the caller may be one of those who were invited by an address that no account has yet.
    public var mayNeedVerification = false

    /// Makes an error of its code and sentence.
    public init(serverErrorCode: String, reason: String? = nil) {
        self.serverErrorCode = serverErrorCode
        self.reason = reason
    }

    /// Reads an error dictionary; nil where the object has no code, and therefore is not one.
    public init?(json: JSONObject) {
        guard let code = json["serverErrorCode"]?.string else { return nil }
        serverErrorCode = code
        uuid = json["uuid"]?.string
        reason = json["reason"]?.string
        remedy = json["remedy"]?.string
        retryAfter = json["retryAfter"]?.double
        redirectURL = json["redirectURL"]?.string
        exceededLimit = json["exceededLimit"]?.string
        recordName = json["recordName"]?.string
        zoneID = json["zoneID"]?.object.flatMap { try? ZoneID(json: $0) }
        serverRecord = json["serverRecord"]?.object
        nativeCode = json["ckErrorCode"]?.int.map { Int($0) }
        mayNeedVerification = json["potentialMatchList"]?.array?.isEmpty == false
    }

    public var description: String { "\(serverErrorCode): \(reason ?? "no reason given")" }
}

extension ServiceError {
    /// The error dictionary of a request that failed as a whole: the body of its answer.
    public func json(uuid: String) -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writeMembers(to: &writer, uuid: uuid)
            writer.endObject()
        }
    }

    /// Writes the members of the error dictionary into an object that is open.
    public func writeMembers(to writer: inout JSONWriter, uuid: String) {
        writer.member("uuid", uuid)
        writer.member("serverErrorCode", code.description)
        writer.member("reason", reason)
        writer.member("remedy", remedy)
        writer.member("retryAfter", retryAfterSeconds)
        writer.member("redirectURL", redirectURL)
        writer.member("exceededLimit", exceededLimit)
        writer.member("ckErrorCode", nativeCode)
        if let serverRecord {
            writer.key("serverRecord")
            writer.raw(serverRecord)
        }
    }

    /// The HTTP status of a request that fails as a whole with this error (Documentation/Protocol.md, 'Errors').
    public var httpStatus: Int {
        switch code {
        case .accessDenied: 403
        case .authenticationFailed: 401
        case .authenticationRequired: 421
        case .conflict, .exists, .zoneBusy: 409
        case .internalError: 500
        case .notFound, .zoneNotFound: 404
        case .quotaExceeded: 413
        case .throttled: 429
        case .tryAgainLater: 503
        case .validatingReference: 412
        default: 400
        }
    }
}
