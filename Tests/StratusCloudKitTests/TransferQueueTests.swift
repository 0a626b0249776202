import Foundation
import Synchronization
import TestSeeds
import Testing

@testable import StratusCloudKit

@Suite struct TransferQueueTests {
    @Test("Outcomes come in the order of the jobs, however long each takes, and no more run at once than may")
    func order() async {
        let running = Mutex<(now: Int, most: Int)>((0, 0))
        var seen: [Int] = []
        var progress: [Int: [Double]] = [:]
        await TransferQueue.run(
            Array(0..<60),
            perform: { job, tell in
                running.withLock {
                    $0.now += 1
                    $0.most = max($0.most, $0.now)
                }
                tell(0.5)
                for _ in 0..<(job * 7 % 20) { await Task.yield() }
                running.withLock { $0.now -= 1 }
                return job * 2
            },
            onProgress: { progress[$0, default: []].append($1) },
            onOutcome: { index, outcome in
                #expect(outcome == index * 2)
                #expect(progress[index] == [0.5], "all that happens to a job comes before its outcome")
                seen.append(index)
            })
        #expect(seen == Array(0..<60))
        #expect(running.withLock { $0.most } <= TransferQueue.width)
    }

    @Test func aCancelledTaskStillHearsOfEveryJob() async {
        let task = Task {
            var outcomes: [Bool] = []
            await TransferQueue.run(
                Array(0..<20),
                perform: { _, _ in
                    do {
                        try await Task.sleep(for: .seconds(60))
                        return false
                    } catch {
                        return true
                    }
                },
                onProgress: { _, _ in }, onOutcome: { outcomes.append($1) })
            return outcomes
        }
        task.cancel()
        #expect(await task.value == [Bool](repeating: true, count: 20))
    }

    @Test func noJobs() async {
        await TransferQueue.run(
            [Int](), perform: { job, _ in job }, onProgress: { _, _ in }, onOutcome: { _, _ in })
    }

    @Test("Progress never goes back, also when a file starts over, and leaves the end to others")
    func meter() {
        var random = Seed.one.random
        for _ in 0..<200 {
            let sizes = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                Int64.random(in: 0...500, using: &random)
            }
            let told = Mutex<[Double]>([])
            let meter = ProgressMeter(sizes: sizes) { fraction in told.withLock { $0.append(fraction) } }
            for (index, size) in sizes.enumerated() {
                for _ in 0..<10 { meter.note(Int64.random(in: 0...size, using: &random), ofFile: index) }
                meter.note(size, ofFile: index)
            }
            let fractions = told.withLock { $0 }
            #expect(
                fractions == fractions.sorted() && Set(fractions).count == fractions.count, "sizes \(sizes)")
            #expect(fractions.allSatisfy { $0 > 0 && $0 < 1 })
        }
    }
}
