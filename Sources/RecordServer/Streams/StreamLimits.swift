import NIOCore
import NIOHTTP2
import NIOHTTPTypesHTTP2
import RecordModel

/// What NIO is told of the limits of a connection over HTTP/2.
enum StreamLimits {
    /// The largest frame that may be sent unless a client allows more (RFC 9113, 6.5.2).
    static let frameBytes = 16_384

    /// How many frames are read ahead of who answers. With what the client may send ahead besides, they are what a body
    /// that is passed on counts for (`BodyBudget.streamedBytes`).
    static let readAhead = NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark(
        lowWatermark: 2, highWatermark: 6)

    static func codec() -> HTTP2FramePayloadToHTTPServerCodec { HTTP2FramePayloadToHTTPServerCodec() }

    static let handler: NIOHTTP2Handler.Configuration = {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: Limits.streamsPerConnection),
            HTTP2Setting(parameter: .maxHeaderListSize, value: Limits.requestHeadBytes),
            HTTP2Setting(parameter: .initialWindowSize, value: Limits.streamWindowBytes),
        ]
        connection.targetWindowSize = Limits.connectionWindowBytes
        connection.maximumSequentialContinuationFrames = Limits.continuationFrames
        connection.maximumConnectionGlitches = Limits.streamFaults
        connection.controlFrameRateLimit.maximumCount = Limits.controlFrames
        connection.controlFrameRateLimit.windowLength = window
        // A client that does not read is sent no more answers to its pings than it may send pings.
        connection.maximumBufferedControlFrames = Limits.controlFrames + Limits.streamsPerConnection * 4
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.targetWindowSize = Limits.streamWindowBytes
        stream.outboundBufferSizeHighWatermark = 4 * frameBytes
        stream.outboundBufferSizeLowWatermark = 2 * frameBytes
        stream.streamResetFrameRateLimit.maximumCount = Limits.streamResets
        stream.streamResetFrameRateLimit.windowLength = window
        stream.streamErrorRateLimit.maximumCount = Limits.streamFaults
        stream.streamErrorRateLimit.windowLength = window
        return NIOHTTP2Handler.Configuration(connection: connection, stream: stream)
    }()

    /// A connection without requests is told to go, as one over HTTP/1.1 is; ``FarewellHandler`` sees to it that it does.
    static let manager = NIOHTTP2ServerConnectionManagementHandler.Configuration(
        maxIdleTime: .seconds(Int64(Limits.idleConnectionSeconds)), maxAge: nil, maxGraceTime: nil,
        keepalive: .init(
            pingInterval: .seconds(Int64(Limits.idleConnectionSeconds)),
            ackTimeout: .seconds(Int64(Limits.farewellSeconds))))

    private static let window = TimeAmount.seconds(Int64(Limits.frameCountSeconds))
}
