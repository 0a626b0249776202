import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import RecordServer

/// When a connection is too slow, by a clock that only the test moves.
@Suite struct RequestDeadlineTests {
    private final class Clock: Sendable {
        private let time = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.withLock { $0 } }
        func pass(_ duration: Duration) { time.withLock { $0 += duration } }
    }

    /// A connection, and whether it was closed.
    private final class Line {
        private final class Mark: Sendable {
            let isSet = Atomic(false)
        }

        let channel = EmbeddedChannel()
        private let closed = Mark()

        init() {
            channel.closeFuture.whenComplete { [closed] _ in closed.isSet.store(true, ordering: .relaxed) }
        }

        var isClosed: Bool {
            channel.embeddedEventLoop.run()
            return closed.isSet.load(ordering: .relaxed)
        }
    }

    private let clock = Clock()

    private func deadlines() -> RequestDeadlines {
        RequestDeadlines(
            limits: TransferLimits(request: .seconds(5), stall: .seconds(30), upload: .seconds(100)),
            now: { [clock] in clock.now })
    }

    @Test func aPauseMayBeAsLongAsTheLimitAndNoLonger() {
        let deadlines = deadlines()
        let line = Line()
        let watch = StallWatch(deadlines, line.channel, total: nil)
        for _ in 0..<10 {
            clock.pass(.seconds(30))
            deadlines.closeLate()
            #expect(!line.isClosed, "each step gives the whole time again")
            watch.goOn()
        }
        clock.pass(.seconds(30) + .milliseconds(1))
        deadlines.closeLate()
        #expect(line.isClosed)
    }

    @Test func anUploadThatNeverPausesEndsAsWell() {
        let deadlines = deadlines()
        let line = Line()
        let watch = StallWatch(deadlines, line.channel, total: deadlines.limits.upload)
        for _ in 0..<100 {
            watch.goOn()
            clock.pass(.seconds(1))
            deadlines.closeLate()
            #expect(!line.isClosed)
        }
        clock.pass(.milliseconds(1))
        deadlines.closeLate()
        #expect(line.isClosed)
    }

    @Test func whatIsDoneIsNotWatched() {
        let deadlines = deadlines()
        let lines = [Line(), Line(), Line()]
        let watches = lines.map { StallWatch(deadlines, $0.channel, total: nil) }
        watches[1].end()
        watches[1].goOn()
        let other = deadlines.begin(lines[2].channel, time: deadlines.limits.request)
        deadlines.end(other)
        clock.pass(.seconds(31))
        watches[2].goOn()
        deadlines.closeLate()
        #expect(lines.map(\.isClosed) == [true, false, false])
    }
}
