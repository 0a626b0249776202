import RecordModel
import RecordWire

extension ServiceError {
    /// Sharing is not served yet: nothing that asks for it is done half.
    static func noSharing(_ what: String) -> ServiceError {
        ServiceError(
            .badRequest, "\(what): sharing is not served by this version yet.",
            remedy:
                "Save records without 'createShortGUID' and without records of the type '\(RecordInput.shareType)'."
        )
    }

    /// - Throws: `BAD_REQUEST` for the type of shares.
    static func checkIsNoShare(type: String?) throws(ServiceError) {
        guard type == RecordInput.shareType else { return }
        throw .noSharing("A record of the type '\(RecordInput.shareType)' is a share")
    }
}

extension RecordOperation {
    /// Refuses what only a service with sharing can do; a deletion leaves nothing of it.
    ///
    /// - Throws: `BAD_REQUEST`.
    func checkIsNoSharing() throws(ServiceError) {
        guard !type.isDelete else { return }
        try ServiceError.checkIsNoShare(type: record.recordType)
        if record.createsShortGUID { throw .noSharing("'createShortGUID' asks for the address of a share") }
    }
}
