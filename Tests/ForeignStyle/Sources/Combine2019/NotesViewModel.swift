import CloudKit
import Combine
import os

/// A view model: published values, a publisher of the cloud, a logger.
final class NotesViewModel: ObservableObject {
    @Published var titles: [String] = []
    @Published var errorMessage: String?
    private let database: CKDatabase
    private let logger = Logger(subsystem: "com.example.notes", category: "model")
    private var cancellables: Set<AnyCancellable> = []

    init(database: CKDatabase) {
        self.database = database
    }

    func load(then done: @escaping () -> Void) {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        database.publisher(for: query)
            .compactMap { $0["text"] as? String }
            .collect()
            .sink(
                receiveCompletion: { [weak self, logger] completion in
                    if case .failure(let error) = completion {
                        logger.error("loading failed: \(error.localizedDescription, privacy: .public)")
                        self?.errorMessage = error.localizedDescription
                    }
                    done()
                },
                receiveValue: { [weak self] in self?.titles = $0.sorted() }
            )
            .store(in: &cancellables)
    }
}
