public import Foundation

/// Whether requests can be made for a user.
public enum CKAccountStatus: Int, Sendable {
    /// The service could not be asked.
    case couldNotDetermine = 0
    /// A user is signed in.
    case available = 1
    /// The account must not be used; never the case with this service.
    case restricted = 2
    /// Nobody is signed in.
    case noAccount = 3
    /// The account cannot be used at the moment; never the case with this service.
    case temporarilyUnavailable = 4
}

extension Notification.Name {
    /// The user of a container, which the notification's object is, signed in or out, in this process or, with
    /// ``StratusAccount``, in another one that shares its file.
    public static let CKAccountChanged = Notification.Name("CKAccountChangedNotification")
}
