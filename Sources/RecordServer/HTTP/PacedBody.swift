import HTTPTypes
import HummingbirdCore
import NIOCore

extension ResponseBody {
    /// What a connection takes at once anyway.
    private static let smallBytes = 65_536

    /// The body, written no faster than its connection takes it.
    ///
    /// A writer learns that its connection is full only when the event loop had its turn. Until then a fast disk
    /// hands out many pieces, and all of them would wait in memory for as long as the client does not read.
    func paced(by channel: any Channel) -> ResponseBody {
        if let contentLength, contentLength <= Self.smallBytes { return self }
        // Without a socket there is nothing to wait for, nor an event loop that has turns.
        guard channel.isActive else { return self }
        let body = self
        return ResponseBody(contentLength: contentLength) { writer in
            try await body.write(PacedWriter(base: writer, eventLoop: channel.eventLoop))
        }
    }
}

/// Lets the event loop have its turn before each piece.
private struct PacedWriter: ResponseBodyWriter {
    var base: any ResponseBodyWriter
    let eventLoop: any EventLoop

    mutating func write(_ buffer: ByteBuffer) async throws {
        try await eventLoop.submit {}.get()
        try await base.write(buffer)
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await base.finish(trailingHeaders)
    }
}
