import HTTPTypes
import NIOCore
import RecordEngine
import RecordModel
import RecordWire

/// An answer that is ready to be sent.
struct Reply {
    /// What almost all answers are.
    static let json = "application/json; charset=utf-8"

    var status: Int
    var contentType: String?
    var body: ByteBuffer
    /// What only this answer carries.
    var headers = HTTPFields()
    /// Who has to take it, where that is known.
    var party: RequestShares.Party?
    /// Whether all clients are sent its body from the same memory, so that it needs no room.
    var isShared = false
    /// How long to wait before trying again, where the status says that this helps.
    var retryAfterSeconds = 1

    init(status: Int, contentType: String?, body: ByteBuffer) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    init(status: Int, json: [UInt8]) {
        self.init(
            status: status, contentType: Self.json, body: ByteBuffer(bytes: json))
    }

    /// The error dictionary of a request that failed before the service saw it.
    init(_ error: ServiceError, requestID: String) {
        self.init(status: error.httpStatus, json: error.json(uuid: requestID))
        retryAfterSeconds = error.retryAfterSeconds ?? 1
    }
}
