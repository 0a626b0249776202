import Testing

@testable import RecordServer

@Suite struct PaceTests {
    @Test func `Who was fast and stopped is slow soon`() {
        let start = ContinuousClock.now
        var sprinter = Pace(at: start)
        var walker = Pace(at: start)
        sprinter.add(16_000_000, at: start + .milliseconds(100))
        for second in 1...10 {
            walker.add(100_000, at: start + .seconds(second))
            sprinter.add(1, at: start + .seconds(second))
        }
        let now = start + .seconds(10)
        #expect(sprinter.rate(at: now) < 10)
        #expect((50_000...200_000).contains(walker.rate(at: now)))
    }
}
