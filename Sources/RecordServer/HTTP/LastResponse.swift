import HTTPTypes
import HummingbirdCore
import NIOCore

extension Response {
    /// How long a client may go on sending what nobody wants.
    private static let timeToLinger = TimeAmount.seconds(10)

    /// Makes this the last answer of its connection, for a request whose body nobody reads.
    ///
    /// The server says so and closes its own direction after the answer. What still comes in is read and dropped
    /// for a while: were the connection closed at once, a client that still sends would lose the answer.
    ///
    /// Over HTTP/2 only this request ends: ``StreamGuard`` sees to it once the answer is on its way.
    mutating func close(_ channel: any Channel) {
        guard !channel.isStream else { return }
        let answer = body
        body = ResponseBody(contentLength: answer.contentLength) { writer in
            try await answer.write(writer)
            channel.close(mode: .output, promise: nil)
            channel.eventLoop.scheduleTask(in: Self.timeToLinger) { channel.close(promise: nil) }
        }
        headers[.connection] = "close"
    }
}
