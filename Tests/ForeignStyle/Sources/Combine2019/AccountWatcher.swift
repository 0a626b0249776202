import CloudKit
import Combine

/// A publisher of a notification, kept in a set.
final class AccountWatcher: ObservableObject {
    @Published private(set) var changes = 0
    private var subscriptions = Set<AnyCancellable>()

    init(center: NotificationCenter = .default) {
        center.publisher(for: .CKAccountChanged)
            .map { _ in 1 }
            .sink { [weak self] in self?.changes += $0 }
            .store(in: &subscriptions)
    }
}
