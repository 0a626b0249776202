import CloudKit

/// A model on the main actor that hears of account changes.
@MainActor
final class MainActorModel {
    private(set) var status: CKAccountStatus = .couldNotDetermine
    private let container: CKContainer

    init(container: CKContainer) {
        self.container = container
    }

    func refresh() async {
        status = (try? await container.accountStatus()) ?? .couldNotDetermine
    }
}
