import CloudKit
import CoreData

/// Names that Foundation on Linux has as well, in a file that imports both frameworks.
struct NamesOfBoth {
    let key: NSExpression = NSExpression(forKeyPath: "name")
    let formatter: PersonNameComponentsFormatter = {
        let formatter = PersonNameComponentsFormatter()
        formatter.style = .long
        return formatter
    }()

    func title(of participant: CKShare.Participant) -> String {
        participant.userIdentity.nameComponents.map { formatter.string(from: $0) } ?? "somebody"
    }

    func initials(of components: PersonNameComponents) -> String {
        components.formatted(.name(style: .abbreviated))
    }
}
