import Combine
import Foundation

/// A timer that asks again.
final class Ticker {
    private(set) var ticks = 0
    private var cancellable: Cancellable?

    func start() {
        cancellable = Timer.publish(every: 0.01, on: .main, in: .common)
            .autoconnect()
            .sink { [weak self] _ in self?.ticks += 1 }
    }

    func stop() {
        cancellable?.cancel()
    }
}
