import Foundation
import Testing

@testable import PostgresAccess

@Suite("A thread that waits is told to stop")
struct StopSignalTests {
    @Test("A wait without a bound ends with the signal, and so does every later one", .timeLimit(.minutes(1)))
    func ends() async {
        let signal = StopSignal()
        let end = ThreadEnd()
        Thread {
            #expect(signal.wait() == false)
            end.come()
        }.start()
        signal.give()
        await end.wait()
        #expect(signal.wait() == false)
    }

    @Test("A wait ends when its time is over")
    func bounded() {
        #expect(StopSignal().wait(milliseconds: 1) == false)
    }
}
